// Four threads of the host launch at the same time, each in its own stream and on its own part of one array.
// verdict: clean
#include "check.h"
#include <thread>
#include <vector>

constexpr int THREADS = 4;
constexpr int PART = 256;

__global__ void step(int* data, int amount) {
    data[threadIdx.x] = data[threadIdx.x] * 2 + amount;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, THREADS * PART * sizeof(int)));
    CHECK(cudaMemset(data, 0, THREADS * PART * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++) {
        threads.emplace_back([=] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            for (int i = 0; i < 5; i++) {
                step<<<1, PART, 0, stream>>>(data + t * PART, t);
                CHECK(cudaGetLastError());
            }
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaStreamDestroy(stream));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    int host[THREADS * PART];
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d %d\n", host[0], host[PART], host[2 * PART], host[3 * PART]);
    CHECK(cudaFree(data));
    return 0;
}
