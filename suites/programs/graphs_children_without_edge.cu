// Two graphs inside a graph, without an edge between them: the last kernel of one writes what the first kernel of the other reads.
// verdict: race
#include "check.h"

constexpr int COUNT = 64;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 8)
}

static cudaGraph_t graph_of(void* function, void** arguments) {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams kernel = {};
    kernel.func = function;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = arguments;
    cudaGraphNode_t empty, node;
    CHECK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
    CHECK(cudaGraphAddKernelNode(&node, graph, &empty, 1, &kernel));
    return graph;
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    void* fill_arguments[] = {&data};
    void* reverse_arguments[] = {&target, &data};
    cudaGraph_t one = graph_of(reinterpret_cast<void*>(fill), fill_arguments);
    cudaGraph_t other = graph_of(reinterpret_cast<void*>(reverse), reverse_arguments);
    cudaGraph_t outer;
    CHECK(cudaGraphCreate(&outer, 0));
    cudaGraphNode_t first, second, end;
    CHECK(cudaGraphAddChildGraphNode(&first, outer, nullptr, 0, one));
    CHECK(cudaGraphAddChildGraphNode(&second, outer, nullptr, 0, other));
    cudaGraphNode_t both[] = {first, second};
    CHECK(cudaGraphAddEmptyNode(&end, outer, both, 2));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, outer, 0));
    CHECK(cudaGraphDestroy(one));
    CHECK(cudaGraphDestroy(other));
    CHECK(cudaGraphLaunch(executable, nullptr));
    CHECK(cudaDeviceSynchronize());
    int last = 0;
    CHECK(cudaMemcpy(&last, data + COUNT - 1, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("last number %d\n", last);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(outer));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
