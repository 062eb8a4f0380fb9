// Executable graphs that change: parameters of a node, an update from another graph, one that cannot be, and a clone.
// verdict: clean
#include "check.h"

constexpr int COUNT = 64;

__global__ void fill(int* data, int value) {
    data[threadIdx.x] = value;
}

__global__ void add(int* data, int value) {
    data[threadIdx.x] += value;
}

static int first_number(const int* data) {
    int number = 0;
    CHECK(cudaMemcpy(&number, data, sizeof number, cudaMemcpyDeviceToHost));
    return number;
}

// A graph of two kernels, one after the other.
static cudaGraph_t make_graph(int* data, int start, int step, cudaGraphNode_t* last) {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    void* start_arguments[] = {&data, &start};
    void* step_arguments[] = {&data, &step};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(fill);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = start_arguments;
    cudaGraphNode_t first;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    kernel.func = reinterpret_cast<void*>(add);
    kernel.kernelParams = step_arguments;
    CHECK(cudaGraphAddKernelNode(last, graph, &first, 1, &kernel));
    return graph;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaGraphNode_t last, other_last;
    cudaGraph_t graph = make_graph(data, 10, 1, &last);
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, nullptr));
    std::printf("as made: %d\n", first_number(data));

    int step = 5;
    void* arguments[] = {&data, &step};
    cudaKernelNodeParams kernel = {};
    CHECK(cudaGraphKernelNodeGetParams(last, &kernel));
    std::printf("block of the last node: %u\n", kernel.blockDim.x);
    kernel.kernelParams = arguments;
    kernel.extra = nullptr;
    CHECK(cudaGraphExecKernelNodeSetParams(executable, last, &kernel));
    CHECK(cudaGraphLaunch(executable, nullptr));
    std::printf("with another step: %d\n", first_number(data));

    cudaGraph_t changed = make_graph(data, 100, 7, &other_last);
    cudaGraphExecUpdateResultInfo info = {};
    CHECK(cudaGraphExecUpdate(executable, changed, &info));
    std::printf("update: %d\n", info.result == cudaGraphExecUpdateSuccess);
    CHECK(cudaGraphLaunch(executable, nullptr));
    std::printf("updated: %d\n", first_number(data));

    cudaGraphNode_t extra_node;
    CHECK(cudaGraphAddEmptyNode(&extra_node, changed, &other_last, 1));
    cudaError_t refused = cudaGraphExecUpdate(executable, changed, &info);
    std::printf("another shape: %s, the reason is the shape: %d\n", cudaGetErrorName(refused),
                info.result == cudaGraphExecUpdateErrorTopologyChanged);
    (void)cudaGetLastError();

    cudaGraph_t clone;
    CHECK(cudaGraphClone(&clone, graph));
    cudaGraphNode_t cloned_last;
    CHECK(cudaGraphNodeFindInClone(&cloned_last, last, clone));
    step = 90;
    CHECK(cudaGraphKernelNodeSetParams(cloned_last, &kernel));
    cudaGraphExec_t cloned;
    CHECK(cudaGraphInstantiate(&cloned, clone, 0));
    CHECK(cudaGraphLaunch(cloned, nullptr));
    std::printf("clone: %d\n", first_number(data));

    CHECK(cudaGraphExecDestroy(cloned));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(changed));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(data));
    return 0;
}
