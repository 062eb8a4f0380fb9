// A graph is launched again and again while it is in flight, changed in between, and destroyed before it is done.
// verdict: clean
#include "check.h"

constexpr int COUNT = 64;

__global__ void fill(int* data, int value) {
    data[threadIdx.x] = value + threadIdx.x;
}

__global__ void add(int* sums, const int* data) {
    sums[threadIdx.x] = sums[threadIdx.x] * 3 + data[COUNT - 1 - threadIdx.x];
}

int main() {
    int *data, *sums;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&sums, COUNT * sizeof(int)));
    CHECK(cudaMemset(sums, 0, COUNT * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    int value = 1;
    void* fill_arguments[] = {&data, &value};
    void* add_arguments[] = {&sums, &data};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(fill);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = fill_arguments;
    cudaGraphNode_t first, second;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    cudaKernelNodeParams last = kernel;
    last.func = reinterpret_cast<void*>(add);
    last.kernelParams = add_arguments;
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &last));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    // The launches follow each other in whatever streams they are; each has the number of its own time.
    for (int round = 0; round < 6; round++) {
        value = round;
        CHECK(cudaGraphExecKernelNodeSetParams(executable, first, &kernel));
        CHECK(cudaGraphLaunch(executable, streams[round % 2]));
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaDeviceSynchronize());
    int host[COUNT];
    CHECK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[COUNT - 1]);
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaFree(data));
    CHECK(cudaFree(sums));
    return 0;
}
