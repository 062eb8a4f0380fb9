// Eight threads of the host launch under a lock, and wait for their streams after they have unlocked.
// verdict: race
#include "check.h"
#include <mutex>
#include <thread>
#include <vector>

constexpr int THREADS = 8;
constexpr int COUNT = 256;

__global__ void put(int* data, int value) {
    data[threadIdx.x] = value;  //~ race: inter-kernel error (with itself)
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++) {
        threads.emplace_back([=, &mutex] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            {
                std::lock_guard<std::mutex> lock(mutex);
                put<<<1, COUNT, 0, stream>>>(data, t);
                CHECK(cudaGetLastError());
            }
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaStreamDestroy(stream));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(cudaFree(data));
    std::printf("eight threads wrote\n");
    return 0;
}
