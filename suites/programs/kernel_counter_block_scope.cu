// Blocks count together with an atomic that is one among the threads of a block only.
// verdict: race
#include "check.h"

__global__ void count(int* counter) {
    atomicAdd_block(counter, 1);  //~ race: scope error (with itself)
}

int main() {
    int* counter;
    CHECK(cudaMallocManaged(&counter, sizeof(int)));
    *counter = 0;
    count<<<4, 64>>>(counter);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("some were counted: %s\n", *counter > 0 ? "yes" : "no");
    CHECK(cudaFree(counter));
    return 0;
}
