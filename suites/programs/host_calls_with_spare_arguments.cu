// System calls that have fewer arguments than are passed: what else stands there is no access to memory.
// verdict: clean
#include "check.h"

#include <sys/syscall.h>
#include <unistd.h>

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
    number<<<1, COUNT, 0, stream>>>(data);
    CHECK(cudaMemcpyAsync(host, data, BYTES, cudaMemcpyDeviceToHost, stream));
    int futex = 0;
    constexpr int WAKE = 1;
    bool is_right = syscall(SYS_gettid, host, host, host, host, host, host) == getpid();
    is_right &= syscall(SYS_futex, &futex, WAKE, 1, host, host, host) == 0;
    is_right &= syscall(SYS_sched_yield, host, BYTES) == 0;
    CHECK(cudaStreamSynchronize(stream));
    std::printf("calls are right: %d, after the wait: %d\n", is_right, host[1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(data));
    return 0;
}
