// Stream-ordered memory is allocated in one stream, used in another and freed in a third, with an event at each step.
// verdict: clean
#include "check.h"

constexpr int COUNT = 2048;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void fill(int* numbers, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = factor * i;
}

int main() {
    cudaStream_t owner, user, last;
    cudaEvent_t there, used, gone;
    for (cudaStream_t* stream : {&owner, &user, &last}) {
        CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    }
    for (cudaEvent_t* event : {&there, &used, &gone}) {
        CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    int* host;
    CHECK(cudaMallocHost(&host, BYTES));
    long sum = 0;
    for (int round = 1; round <= 3; round++) {
        int* numbers;
        CHECK(cudaMallocAsync(&numbers, BYTES, owner));
        CHECK(cudaEventRecord(there, owner));
        CHECK(cudaStreamWaitEvent(user, there, 0));
        fill<<<COUNT / 256, 256, 0, user>>>(numbers, round);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(host, numbers, BYTES, cudaMemcpyDeviceToHost, user));
        CHECK(cudaEventRecord(used, user));
        CHECK(cudaStreamWaitEvent(last, used, 0));
        CHECK(cudaFreeAsync(numbers, last));
        CHECK(cudaEventRecord(gone, last));
        CHECK(cudaStreamWaitEvent(owner, gone, 0));
        CHECK(cudaEventSynchronize(used));
        sum += host[COUNT - 1];
    }
    CHECK(cudaDeviceSynchronize());
    std::printf("sum %ld\n", sum);
    for (cudaEvent_t event : {there, used, gone}) {
        CHECK(cudaEventDestroy(event));
    }
    for (cudaStream_t stream : {owner, user, last}) {
        CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaFreeHost(host));
    return 0;
}
