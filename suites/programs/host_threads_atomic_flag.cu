// One thread of the host hands an array to seven others by an atomic of its own, which nobody else can see: a warning says so.
// verdict: race
#include "check.h"
#include <atomic>
#include <thread>
#include <vector>

constexpr int READERS = 7;
constexpr int COUNT = 256;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel warning (with line 12)
}

int main() {
    int *data, *targets;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&targets, READERS * COUNT * sizeof(int)));
    std::atomic<bool> filled{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < READERS; t++) {
        threads.emplace_back([=, &filled] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            while (!filled.load()) {
                std::this_thread::yield();
            }
            reverse<<<1, COUNT, 0, stream>>>(targets + t * COUNT, data);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaStreamDestroy(stream));
        });
    }
    threads.emplace_back([=, &filled] {
        cudaStream_t stream;
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        fill<<<1, COUNT, 0, stream>>>(data);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        filled.store(true);
        CHECK(cudaStreamDestroy(stream));
    });
    for (std::thread& thread : threads) {
        thread.join();
    }
    int host[READERS * COUNT];
    CHECK(cudaMemcpy(host, targets, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[COUNT - 1]);
    CHECK(cudaFree(data));
    CHECK(cudaFree(targets));
    return 0;
}
