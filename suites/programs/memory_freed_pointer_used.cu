// A kernel is given a pointer to memory that was freed. What was allocated since may lie in the same place on a GPU, and
// the kernel changes that; here the use is a fault.
// verdict: clean, stopped
#include "check.h"

__global__ void store(int* target, int value) {
    target[threadIdx.x] = value;
}

int main() {
    int *freed, *next;
    CHECK(cudaMalloc(&freed, 64 * sizeof(int)));
    store<<<1, 64>>>(freed, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(freed));
    CHECK(cudaMalloc(&next, 64 * sizeof(int)));
    std::printf("freed, and allocated again\n");
    // Whether this is an error depends on where the new memory is.
    store<<<1, 64>>>(freed, 2);
    (void)cudaDeviceSynchronize();
    return 0;
}
