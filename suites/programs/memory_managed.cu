// Managed memory, allocated and as variables, used by the host and the device in turn with a wait between.
// verdict: clean
#include "check.h"
#include "versions.h"

constexpr int COUNT = 2048;

__managed__ int total = 5;
__managed__ int table[64];

__global__ void add_up(const int* numbers) {
    atomicAdd(&total, numbers[blockIdx.x * blockDim.x + threadIdx.x]);
    if (blockIdx.x == 0 && threadIdx.x < 64) {
        table[threadIdx.x] *= 2;
    }
}

int main() {
    int* numbers;
    CHECK(cudaMallocManaged(&numbers, COUNT * sizeof(int)));
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = i % 7;
    }
    for (int i = 0; i < 64; i++) {
        table[i] = i;
    }
    CHECK(advise_for_device(numbers, COUNT * sizeof(int), cudaMemAdviseSetReadMostly, 0));
    CHECK(prefetch_to_device(numbers, COUNT * sizeof(int), 0, nullptr));
    add_up<<<8, 256>>>(numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("total %d, table[63] %d\n", total, table[63]);

    total = 100;
    numbers[0] = 1000;
    CHECK(prefetch_to_host(numbers, COUNT * sizeof(int), nullptr));
    add_up<<<8, 256>>>(numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(nullptr));
    std::printf("total %d, table[63] %d, numbers[0] %d\n", total, table[63], numbers[0]);

    int symbol_copy = 0;
    CHECK(cudaMemcpyFromSymbol(&symbol_copy, total, sizeof symbol_copy));
    std::printf("the same through its symbol: %s\n", symbol_copy == total ? "yes" : "no");
    CHECK(cudaFree(numbers));
    return 0;
}
