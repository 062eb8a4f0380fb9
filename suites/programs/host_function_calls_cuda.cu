// A function of the host must not call CUDA: what the calls answer there, and that the stream goes on.
// verdict: clean
#include "check.h"

__global__ void count(int* counter) {
    *counter += 1;
}

static cudaStream_t stream, other;
static cudaEvent_t event;
static int* counter;
static const char* answers[7];

static void CUDART_CB call(void*) {
    int value = 0;
    void* memory = nullptr;
    answers[0] = cudaGetErrorName(cudaMalloc(&memory, 16));
    answers[1] = cudaGetErrorName(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
    answers[2] = cudaGetErrorName(cudaStreamSynchronize(other));
    answers[3] = cudaGetErrorName(cudaEventRecord(event, other));
    answers[4] = cudaGetErrorName(cudaMemsetAsync(counter, 0, sizeof value, other));
    count<<<1, 1, 0, other>>>(counter);
    answers[5] = cudaGetErrorName(cudaGetLastError());
    answers[6] = cudaGetErrorName(cudaDeviceSynchronize());
}

int main() {
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    count<<<1, 1, 0, stream>>>(counter);
    CHECK(cudaGetLastError());
    CHECK(cudaLaunchHostFunc(stream, call, nullptr));
    count<<<1, 1, 0, stream>>>(counter);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    const char* names[] = {"allocation", "copy", "wait", "event", "memset", "launch", "wait for all"};
    for (int i = 0; i < 7; i++) {
        std::printf("%s: %s\n", names[i], answers[i]);
    }
    int value = 0;
    CHECK(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
    std::printf("counted %d, last error %s\n", value, cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(counter));
    return 0;
}
