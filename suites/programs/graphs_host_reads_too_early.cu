// The host reads pinned memory after the launch of a graph whose last node copies to it.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void number(int* data) {
    data[threadIdx.x] = threadIdx.x * 5;
}

int main() {
    int *data, *host;
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMallocHost(&host, BYTES));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    number<<<1, COUNT, 0, stream>>>(data);
    CHECK(cudaMemcpyAsync(host, data, BYTES, cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphUpload(executable, stream));
    CHECK(cudaGraphLaunch(executable, stream));
    volatile int seen = host[1];  //~ race: inter-kernel error (with line 20)
    (void)seen;
    CHECK(cudaStreamSynchronize(stream));
    std::printf("after the wait: %d\n", host[1]);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(data));
    return 0;
}
