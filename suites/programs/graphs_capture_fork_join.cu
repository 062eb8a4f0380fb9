// A capture that spreads over three streams by events and comes back to the first.
// verdict: clean
#include "check.h"
#include "versions.h"

constexpr int COUNT = 128;

__global__ void fill(int* data, int start) {
    data[threadIdx.x] = start + threadIdx.x;
}

__global__ void scale(int* target, const int* data, int factor) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x] * factor;
}

__global__ void add(int* target, const int* one, const int* other) {
    target[threadIdx.x] += one[threadIdx.x] - other[COUNT - 1 - threadIdx.x];
}

int main() {
    int* arrays[4];
    for (int*& array : arrays) {
        CHECK(cudaMalloc(&array, COUNT * sizeof(int)));
    }
    CHECK(cudaMemset(arrays[3], 0, COUNT * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t trunk, left, right;
    cudaEvent_t filled, left_done, right_done;
    CHECK(cudaStreamCreate(&trunk));
    CHECK(cudaStreamCreate(&left));
    CHECK(cudaStreamCreate(&right));
    CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&left_done, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&right_done, cudaEventDisableTiming));

    CHECK(cudaStreamBeginCapture(trunk, cudaStreamCaptureModeThreadLocal));
    fill<<<1, COUNT, 0, trunk>>>(arrays[0], 10);
    CHECK(cudaEventRecord(filled, trunk));
    CHECK(cudaStreamWaitEvent(left, filled, 0));
    CHECK(cudaStreamWaitEvent(right, filled, 0));
    scale<<<1, COUNT, 0, left>>>(arrays[1], arrays[0], 2);
    scale<<<1, COUNT, 0, right>>>(arrays[2], arrays[0], 3);
    CHECK(cudaEventRecord(left_done, left));
    CHECK(cudaEventRecord(right_done, right));
    CHECK(cudaStreamWaitEvent(trunk, left_done, 0));
    CHECK(cudaStreamWaitEvent(trunk, right_done, 0));
    add<<<1, COUNT, 0, trunk>>>(arrays[3], arrays[1], arrays[2]);
    CHECK(cudaGetLastError());
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(trunk, &graph));

    size_t nodes = 0, edges = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(count_graph_edges(graph, &edges));
    std::printf("nodes %zu, edges %zu\n", nodes, edges);
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    // The graph may be launched in any stream; the launches of one executable graph follow each other.
    CHECK(cudaGraphLaunch(executable, right));
    CHECK(cudaGraphLaunch(executable, trunk));
    CHECK(cudaStreamSynchronize(trunk));
    int host[COUNT];
    CHECK(cudaMemcpy(host, arrays[3], sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[COUNT - 1]);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaEventDestroy(left_done));
    CHECK(cudaEventDestroy(right_done));
    CHECK(cudaStreamDestroy(trunk));
    CHECK(cudaStreamDestroy(left));
    CHECK(cudaStreamDestroy(right));
    for (int* array : arrays) {
        CHECK(cudaFree(array));
    }
    return 0;
}
