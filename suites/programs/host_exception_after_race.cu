// An exception that nobody expects leaves the program through main while the kernel that raced is long done.
// verdict: race
// exit: 9
#include "check.h"
#include <stdexcept>

__global__ void sum(const int* numbers, int* total) {
    *total += numbers[blockIdx.x];  //~ race: missing-sync error (with itself)
}

static void add_up(const int* numbers, int* total) {
    sum<<<4, 1>>>(numbers, total);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    throw std::logic_error("nobody looked at the total");
}

int main() try {
    int *numbers, *total;
    CHECK(cudaMalloc(&numbers, 4 * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemset(numbers, 0, 4 * sizeof(int)));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    add_up(numbers, total);
    return 0;
} catch (const std::exception& failure) {
    std::printf("failed: %s\n", failure.what());
    return 9;
}
