// The last error: peeked at, taken, kept for each thread of the host on its own.
// verdict: clean
#include "check.h"
#include <thread>

__global__ void nothing() {}

int main() {
    std::printf("at first: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    void* memory;
    (void)cudaMalloc(&memory, static_cast<size_t>(1) << 50);
    std::printf("peek: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    std::printf("peek again: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    // A call that succeeds does not clear it.
    CHECK(cudaDeviceSynchronize());
    std::printf("after a success: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    std::thread other([] { std::printf("in another thread: %s\n", cudaGetErrorName(cudaPeekAtLastError())); });
    other.join();
    std::printf("get: %s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("get again: %s\n", cudaGetErrorName(cudaGetLastError()));

    nothing<<<1, 2048>>>();
    std::printf("launch: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    nothing<<<1, 1>>>();
    std::printf("a good launch after it: %s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("all done: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::printf("at the end: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
