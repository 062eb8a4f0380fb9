// One thread of the host launches and waits for its stream; then another thread launches on the same array.
// verdict: clean
#include "check.h"
#include <condition_variable>
#include <mutex>
#include <thread>

constexpr int COUNT = 256;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    std::mutex mutex;
    std::condition_variable changed;
    bool filled = false;
    std::thread producer([&] {
        cudaStream_t stream;
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        fill<<<1, COUNT, 0, stream>>>(data);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
        std::lock_guard<std::mutex> lock(mutex);
        filled = true;
        changed.notify_one();
    });
    std::thread consumer([&] {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return filled; });
        cudaStream_t stream;
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        reverse<<<1, COUNT, 0, stream>>>(target, data);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    });
    producer.join();
    consumer.join();
    int first = 0;
    CHECK(cudaMemcpy(&first, target, sizeof first, cudaMemcpyDeviceToHost));
    std::printf("first number: %d\n", first);
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
