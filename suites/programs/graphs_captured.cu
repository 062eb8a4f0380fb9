// Work of a stream is captured into a graph, which is then launched several times.
// verdict: clean
#include "check.h"

constexpr int COUNT = 256;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void add_index(int* data) {
    data[threadIdx.x] += threadIdx.x;
}

__global__ void accumulate(int* sums, const int* data) {
    sums[threadIdx.x] += data[COUNT - 1 - threadIdx.x];
}

int main() {
    int *data, *sums, *host;
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMalloc(&sums, BYTES));
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMemset(sums, 0, BYTES));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(stream, &status));
    std::printf("capturing: %s\n", status == cudaStreamCaptureStatusActive ? "yes" : "no");
    CHECK(cudaMemsetAsync(data, 0, BYTES, stream));
    add_index<<<1, COUNT, 0, stream>>>(data);
    CHECK(cudaGetLastError());
    accumulate<<<1, COUNT, 0, stream>>>(sums, data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, sums, BYTES, cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    std::printf("nodes: %zu\n", nodes);

    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int round = 1; round <= 3; round++) {
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaStreamSynchronize(stream));
        std::printf("round %d: %d %d\n", round, host[0], host[COUNT - 2]);
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(data));
    CHECK(cudaFree(sums));
    return 0;
}
