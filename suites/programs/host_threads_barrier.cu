// Eight threads of the host write parts of an array, meet at a barrier, and read the parts of their neighbours.
// verdict: clean
#include "check.h"
#include <pthread.h>
#include <thread>
#include <vector>

constexpr int THREADS = 8;
constexpr int COUNT = 64;

__global__ void fill(int* part, int value) {
    part[threadIdx.x] = value;
}

__global__ void take(int* target, const int* part) {
    target[threadIdx.x] = part[threadIdx.x];
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, THREADS * COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, THREADS * COUNT * sizeof(int)));
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, THREADS);
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++) {
        threads.emplace_back([=, &barrier] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            fill<<<1, COUNT, 0, stream>>>(data + t * COUNT, t);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamSynchronize(stream));
            pthread_barrier_wait(&barrier);
            take<<<1, COUNT, 0, stream>>>(target + t * COUNT, data + (t + 1) % THREADS * COUNT);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaStreamDestroy(stream));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    pthread_barrier_destroy(&barrier);
    int host[THREADS * COUNT];
    CHECK(cudaMemcpy(host, target, sizeof host, cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; t++) {
        std::printf("%d ", host[t * COUNT]);
    }
    std::printf("\n");
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
