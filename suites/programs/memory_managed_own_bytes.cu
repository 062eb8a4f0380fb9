// The host and a kernel write every other number of the same managed page at the same time.
// verdict: clean
#include "check.h"

constexpr int COUNT = 512;

__global__ void write_even(int* numbers, int value) {
    numbers[2 * threadIdx.x] = value;
}

int main() {
    int* numbers;
    CHECK(cudaMallocManaged(&numbers, COUNT * sizeof(int)));
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = 0;
    }
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int round = 1; round <= 3; round++) {
        write_even<<<1, COUNT / 2, 0, stream>>>(numbers, round);
        CHECK(cudaGetLastError());
        for (int i = 1; i < COUNT; i += 2) {
            numbers[i] = -round;
        }
    }
    CHECK(cudaStreamSynchronize(stream));
    int sums[2] = {};
    for (int i = 0; i < COUNT; i++) {
        sums[i % 2] += numbers[i];
    }
    std::printf("even %d, odd %d\n", sums[0], sums[1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(numbers));
    return 0;
}
