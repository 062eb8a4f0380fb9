// The default streams of two threads are captured at the same time, each into a graph of its own.
// verdict: clean
#include "check.h"
#include <thread>

constexpr int COUNT = 64;

__global__ void fill(int* data, int value) {
    data[threadIdx.x] = value * threadIdx.x;
}

__global__ void add(int* data, int value) {
    data[threadIdx.x] += value;
}

static void work(int number, int* data, int* host) {
    cudaStream_t stream = cudaStreamPerThread;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    fill<<<1, COUNT, 0, stream>>>(data, number);
    CHECK(cudaGetLastError());
    add<<<1, COUNT, 0, stream>>>(data, 1000);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, data, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamIsCapturing(stream, &status));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    host[0] += status == cudaStreamCaptureStatusActive;
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
}

int main() {
    int *data[2], *host[2];
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMalloc(&data[i], COUNT * sizeof(int)));
        CHECK(cudaMallocHost(&host[i], COUNT * sizeof(int)));
    }
    std::thread other(work, 3, data[1], host[1]);
    work(2, data[0], host[0]);
    other.join();
    for (int i = 0; i < 2; i++) {
        std::printf("thread %d: %d %d\n", i, host[i][0], host[i][COUNT - 1]);
        CHECK(cudaFree(data[i]));
        CHECK(cudaFreeHost(host[i]));
    }
    return 0;
}
