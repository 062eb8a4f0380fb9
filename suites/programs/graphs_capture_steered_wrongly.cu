// As graphs_capture_steered.cu, but the second kernel follows nothing, not even the one that fills what it reads.
// verdict: race
#include "check.h"
#include "versions.h"

constexpr int COUNT = 64;

__global__ void fill(int* data, int value) {
    data[threadIdx.x] = value + threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 9)
}

int main() {
    int *data, *first, *second;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&first, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&second, COUNT * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    int value = 5;
    void* arguments[] = {&data, &value};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(fill);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = arguments;
    cudaGraphNode_t filled;
    CHECK(cudaGraphAddKernelNode(&filled, graph, nullptr, 0, &kernel));

    // The capture adds to the graph, after the node that is there.
    CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &filled, nullptr, 1, cudaStreamCaptureModeGlobal));
    reverse<<<1, COUNT, 0, stream>>>(first, data);
    CHECK(cudaGetLastError());
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    cudaGraph_t same = nullptr;
    const cudaGraphNode_t* before = nullptr;
    size_t count = 0;
    CHECK(get_capture_info(stream, &status, &id, &same, &before, &count));
    std::printf("capturing %d, an id %d, our graph %d, nodes to follow %zu\n", status == cudaStreamCaptureStatusActive, id != 0,
                same == graph, count);
    cudaGraphNode_t reversed = before[0];
    // The second copy is made whenever the device likes.
    CHECK(update_capture_dependencies(stream, nullptr, 0, cudaStreamSetCaptureDependencies));
    reverse<<<1, COUNT, 0, stream>>>(second, data);
    CHECK(cudaGetLastError());
    CHECK(update_capture_dependencies(stream, &reversed, 1, cudaStreamAddCaptureDependencies));
    CHECK(get_capture_info(stream, &status, nullptr, nullptr, &before, &count));
    std::printf("nodes to follow %zu\n", count);
    CHECK(cudaMemsetAsync(data, 0, COUNT * sizeof(int), stream));
    cudaGraph_t ended;
    CHECK(cudaStreamEndCapture(stream, &ended));
    size_t nodes = 0, edges = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(count_graph_edges(graph, &edges));
    std::printf("the same graph %d, nodes %zu, edges %zu\n", ended == graph, nodes, edges);
    CHECK(get_capture_info(stream, &status, &id, nullptr, nullptr, nullptr));
    std::printf("capturing %d\n", status != cudaStreamCaptureStatusNone);

    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    int host[COUNT];
    CHECK(cudaMemcpy(host, first, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("first %d %d\n", host[0], host[COUNT - 1]);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    return 0;
}
