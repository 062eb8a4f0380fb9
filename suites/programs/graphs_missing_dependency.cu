// Two kernel nodes of a graph, where the edge from the writer to the reader is missing.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;

__global__ void number(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 8)
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    void* number_arguments[] = {&data};
    void* reverse_arguments[] = {&target, &data};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(number);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = number_arguments;
    cudaGraphNode_t first, second, last;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    kernel.func = reinterpret_cast<void*>(reverse);
    kernel.kernelParams = reverse_arguments;
    CHECK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel));
    // The empty node waits for both, which does not order them with each other.
    cudaGraphNode_t both[] = {first, second};
    CHECK(cudaGraphAddEmptyNode(&last, graph, both, 2));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::printf("one launch of a graph\n");
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
