// Stream-ordered memory is filled in the stream that allocated it and read in another one that does not wait for it.
// verdict: race
#include "check.h"

constexpr int COUNT = 1024;

__global__ void fill(int* numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = i;
}

__global__ void shift(int* target, const int* numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    target[i] = numbers[COUNT - 1 - i];  //~ race: inter-kernel error (with line 9)
}

int main() {
    cudaStream_t owner, user;
    CHECK(cudaStreamCreate(&owner));
    CHECK(cudaStreamCreate(&user));
    int* target;
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    int* numbers;
    CHECK(cudaMallocAsync(&numbers, COUNT * sizeof(int), owner));
    // The memory itself is there before the other stream runs; what the kernel leaves in it is not.
    CHECK(cudaStreamSynchronize(owner));
    fill<<<4, 256, 0, owner>>>(numbers);
    CHECK(cudaGetLastError());
    shift<<<4, 256, 0, user>>>(target, numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(user));
    CHECK(cudaFreeAsync(numbers, owner));
    CHECK(cudaDeviceSynchronize());
    std::printf("shifted %d numbers\n", COUNT);
    CHECK(cudaFree(target));
    CHECK(cudaStreamDestroy(owner));
    CHECK(cudaStreamDestroy(user));
    return 0;
}
