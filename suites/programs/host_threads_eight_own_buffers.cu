// Eight threads of the host work for a while, each in its own stream and on its own array.
// verdict: clean
#include "check.h"
#include <thread>
#include <vector>

constexpr int THREADS = 8;
constexpr int COUNT = 256;

__global__ void step(int* data, int amount) {
    data[threadIdx.x] += amount;
}

int main() {
    std::vector<int> sums(THREADS);
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++) {
        threads.emplace_back([t, &sums] {
            cudaStream_t stream;
            int* data;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
            CHECK(cudaMemsetAsync(data, 0, COUNT * sizeof(int), stream));
            for (int i = 0; i < 12; i++) {
                step<<<1, COUNT, 0, stream>>>(data, t);
                CHECK(cudaGetLastError());
                CHECK(cudaStreamSynchronize(stream));
            }
            CHECK(cudaMemcpyAsync(&sums[t], data, sizeof(int), cudaMemcpyDeviceToHost, stream));
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaFree(data));
            CHECK(cudaStreamDestroy(stream));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int sum : sums) {
        std::printf("%d ", sum);
    }
    std::printf("\n");
    return 0;
}
