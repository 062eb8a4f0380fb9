// Two graphs in two streams use one array, in the order of an event between them.
// verdict: clean
#include "check.h"

constexpr int COUNT = 128;

__global__ void fill(int* data, int value) {
    data[threadIdx.x] = value * threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t one, other;
    cudaEvent_t filled;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    cudaGraph_t graphs[2];
    cudaGraphExec_t executables[2];
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    fill<<<1, COUNT, 0, one>>>(data, 3);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(one, &graphs[0]));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    reverse<<<1, COUNT, 0, one>>>(target, data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(one, &graphs[1]));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGraphInstantiate(&executables[i], graphs[i], 0));
    }
    // Both were captured in one stream; it is the streams of the launches that count.
    CHECK(cudaGraphLaunch(executables[0], one));
    CHECK(cudaEventRecord(filled, one));
    CHECK(cudaStreamWaitEvent(other, filled, 0));
    CHECK(cudaGraphLaunch(executables[1], other));
    CHECK(cudaDeviceSynchronize());
    int last = 0;
    CHECK(cudaMemcpy(&last, target, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("%d\n", last);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGraphExecDestroy(executables[i]));
        CHECK(cudaGraphDestroy(graphs[i]));
    }
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
