// A graph is launched in one stream while a kernel in another stream writes what the graph reads.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];
}

__global__ void number(int* data) {
    data[threadIdx.x] = threadIdx.x;  //~ race: inter-kernel error (with line 8)
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    CHECK(cudaMemset(data, 0, COUNT * sizeof(int)));
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    reverse<<<1, COUNT, 0, one>>>(target, data);
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(one, &graph));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphLaunch(executable, one));
    number<<<1, COUNT, 0, other>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("a graph and a kernel\n");
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
