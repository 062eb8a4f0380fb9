// The host prepares one page of a managed array while kernels work on the pages before and after it.
// verdict: clean
#include "check.h"

constexpr int PAGE = 4096 / sizeof(int);
constexpr int ROUNDS = 4;

__global__ void add(int* numbers, int value) {
    numbers[threadIdx.x] += value;
    numbers[2 * PAGE + threadIdx.x] += 2 * value;
}

int main() {
    int* numbers;
    CHECK(cudaMallocManaged(&numbers, 3 * PAGE * sizeof(int)));
    for (int i = 0; i < 3 * PAGE; i++) {
        numbers[i] = i;
    }
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int round = 1; round <= ROUNDS; round++) {
        add<<<1, 256, 0, stream>>>(numbers, round);
        CHECK(cudaGetLastError());
        for (int i = PAGE; i < 2 * PAGE; i += 64) {
            numbers[i] += round;
        }
    }
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%d %d %d\n", numbers[1], numbers[PAGE], numbers[2 * PAGE + 255]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(numbers));
    return 0;
}
