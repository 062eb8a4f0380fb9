// Memory is freed and allocated again many times, also in the order of a stream, and each pointer is used while its memory is
// there.
// verdict: clean
#include "check.h"

__global__ void store(int* target, int value) {
    target[threadIdx.x] = value;
}

int main() {
    size_t before, after, total;
    CHECK(cudaMemGetInfo(&before, &total));
    int sum = 0;
    for (int round = 0; round < 50; ++round) {
        int *data, *pooled, value[2];
        CHECK(cudaMalloc(&data, 64 * sizeof(int)));
        CHECK(cudaMallocAsync(&pooled, 64 * sizeof(int), 0));
        store<<<1, 64>>>(data, round);
        store<<<1, 64>>>(pooled, 2 * round);
        CHECK(cudaMemcpy(&value[0], data + 63, sizeof(int), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&value[1], pooled + 63, sizeof(int), cudaMemcpyDeviceToHost));
        CHECK(cudaFreeAsync(pooled, 0));
        CHECK(cudaFree(data));
        sum += value[0] + value[1];
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemGetInfo(&after, &total));
    // A GPU keeps what its pool was given.
    std::printf("sum: %d, memory is given back: %s\n", sum, before < after + (256u << 20) ? "yes" : "no");
    return 0;
}
