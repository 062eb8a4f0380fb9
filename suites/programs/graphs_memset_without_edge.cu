// A memset node and a kernel node of one graph write the same array, without an edge between them.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;

__global__ void number(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams memset = {};
    memset.dst = data;
    memset.value = 0;
    memset.elementSize = 1;
    memset.width = COUNT * sizeof(int);
    memset.height = 1;
    cudaGraphNode_t clear, fill;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &memset));  //~ race: inter-kernel error (with line 8)
    void* arguments[] = {&data};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(number);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&fill, graph, nullptr, 0, &kernel));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::printf("one launch of a graph\n");
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(data));
    return 0;
}
