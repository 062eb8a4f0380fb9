// A thread of the host writes an array and posts a semaphore for each of seven readers; they read it under a lock for readers
// and writers, and the writer writes again when it has that lock.
// verdict: clean
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <thread>
#include <vector>

constexpr int READERS = 7;
constexpr int COUNT = 256;

__global__ void fill(int* data, int value) {
    data[threadIdx.x] = value;
}

__global__ void sum(int* target, const int* data) {
    target[threadIdx.x] += data[threadIdx.x];
}

int main() {
    int *data, *sums;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&sums, READERS * COUNT * sizeof(int)));
    CHECK(cudaMemset(sums, 0, READERS * COUNT * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    sem_t written, read;
    sem_init(&written, 0, 0);
    sem_init(&read, 0, 0);
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, nullptr);
    std::vector<std::thread> threads;
    for (int t = 0; t < READERS; t++) {
        threads.emplace_back([=, &written, &read, &lock] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            sem_wait(&written);
            pthread_rwlock_rdlock(&lock);
            sum<<<1, COUNT, 0, stream>>>(sums + t * COUNT, data);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamSynchronize(stream));
            pthread_rwlock_unlock(&lock);
            sem_post(&read);
            CHECK(cudaStreamDestroy(stream));
        });
    }
    threads.emplace_back([=, &written, &read, &lock] {
        cudaStream_t stream;
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        fill<<<1, COUNT, 0, stream>>>(data, 3);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        for (int t = 0; t < READERS; t++) {
            sem_post(&written);
        }
        for (int t = 0; t < READERS; t++) {
            sem_wait(&read);
        }
        pthread_rwlock_wrlock(&lock);
        fill<<<1, COUNT, 0, stream>>>(data, 4);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        pthread_rwlock_unlock(&lock);
        CHECK(cudaStreamDestroy(stream));
    });
    for (std::thread& thread : threads) {
        thread.join();
    }
    int host[READERS * COUNT];
    CHECK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    for (int t = 0; t < READERS; t++) {
        std::printf("%d ", host[t * COUNT]);
    }
    std::printf("\n");
    CHECK(cudaFree(data));
    CHECK(cudaFree(sums));
    return 0;
}
