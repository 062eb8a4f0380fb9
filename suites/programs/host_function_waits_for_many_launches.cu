// A function of the host waits until the program has queued two hundred launches behind it, and a callback as well.
// verdict: clean
#include "check.h"
#include <atomic>
#include <thread>

constexpr int LAUNCHES = 200;

static std::atomic<int> queued{0};

__global__ void count(int* numbers) {
    numbers[threadIdx.x]++;
}

static void wait_for(int launches) {
    while (queued.load() < launches) {
        std::this_thread::yield();
    }
}

int main() {
    int* numbers;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&numbers, 64 * sizeof(int)));
    CHECK(cudaMemset(numbers, 0, 64 * sizeof(int)));
    // The first launch loads the kernel, which waits for what is before it.
    count<<<1, 64, 0, stream>>>(numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaLaunchHostFunc(stream, [](void*) { wait_for(LAUNCHES); }, nullptr));
    for (int i = 0; i < LAUNCHES; i++) {
        count<<<1, 64, 0, stream>>>(numbers);
        CHECK(cudaGetLastError());
    }
    queued = LAUNCHES;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamAddCallback(
        stream, [](cudaStream_t, cudaError_t, void*) { wait_for(2 * LAUNCHES); }, nullptr, 0));
    for (int i = 0; i < LAUNCHES; i++) {
        count<<<1, 64, 0, stream>>>(numbers);
        CHECK(cudaGetLastError());
    }
    queued = 2 * LAUNCHES;
    CHECK(cudaStreamSynchronize(stream));
    int last = 0;
    CHECK(cudaMemcpy(&last, numbers + 63, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("%d\n", last);
    CHECK(cudaFree(numbers));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
