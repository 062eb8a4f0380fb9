// Eight threads of the host use one array in streams of their own, one after the other: each waits before it unlocks.
// verdict: clean
#include "check.h"
#include <mutex>
#include <thread>
#include <vector>

constexpr int THREADS = 8;
constexpr int COUNT = 256;

__global__ void add(int* data, int amount) {
    data[threadIdx.x] += amount;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMemset(data, 0, COUNT * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++) {
        threads.emplace_back([=, &mutex] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            for (int i = 0; i < 3; i++) {
                std::lock_guard<std::mutex> lock(mutex);
                add<<<1, COUNT, 0, stream>>>(data, t);
                CHECK(cudaGetLastError());
                CHECK(cudaStreamSynchronize(stream));
            }
            CHECK(cudaStreamDestroy(stream));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    int first = 0;
    CHECK(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost));
    std::printf("sum: %d\n", first);
    CHECK(cudaFree(data));
    return 0;
}
