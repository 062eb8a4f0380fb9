// A kernel is given an array of 64 elements and writes 96: the rest is in the array that was allocated next.
// verdict: race
#include "check.h"

constexpr int OWN = 64;

__global__ void number(int* data, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) data[at] = at;  //~ race: out-of-bounds error (with itself)
}

int main() {
    int *first, *second;
    // On a GPU the second one is 512 bytes behind the first, or further away.
    CHECK(cudaMalloc(&first, OWN * sizeof(int)));
    CHECK(cudaMalloc(&second, 8 * OWN * sizeof(int)));
    number<<<1, 2 * OWN>>>(first, OWN + OWN / 2);
    CHECK(cudaGetLastError());
    std::printf("overrun: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    int last = 0;
    CHECK(cudaMemcpy(&last, first + OWN - 1, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("last element: %d\n", last);
    CHECK(cudaFree(second));
    CHECK(cudaFree(first));
    return 0;
}
