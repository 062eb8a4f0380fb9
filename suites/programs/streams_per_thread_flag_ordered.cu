// Compiled for per-thread default streams: kernels, copies and memsets without a stream keep their order.
// verdict: clean
// flags: -default-stream per-thread
#include "check.h"
#include <thread>

constexpr int COUNT = 256;

__global__ void add(int* data, int amount) {
    data[threadIdx.x] += amount;
}

static void work(int amount, int* result) {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMemset(data, 0, COUNT * sizeof(int)));
    for (int i = 0; i < 10; i++) {
        add<<<1, COUNT>>>(data, amount);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(result, data + 7, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
}

int main() {
    int results[3];
    std::thread one(work, 1, &results[0]);
    std::thread two(work, 20, &results[1]);
    work(300, &results[2]);
    one.join();
    two.join();
    std::printf("%d %d %d\n", results[0], results[1], results[2]);
    return 0;
}
