// Memory of a pool is freed in one stream, and a kernel that another stream gets later still uses it: nothing orders the two.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* numbers) {
    numbers[threadIdx.x] = threadIdx.x;  //~ race: inter-kernel error (with line 21)
}

int main() {
    cudaStream_t owner, user;
    CHECK(cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
    int* numbers;
    CHECK(cudaMallocAsync(&numbers, COUNT * sizeof(int), owner));
    cudaEvent_t there;
    CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
    CHECK(cudaEventRecord(there, owner));
    CHECK(cudaStreamWaitEvent(user, there, 0));
    CHECK(cudaFreeAsync(numbers, owner));
    fill<<<1, COUNT, 0, user>>>(numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(owner));
    CHECK(cudaStreamSynchronize(user));
    std::printf("done\n");
    CHECK(cudaEventDestroy(there));
    CHECK(cudaStreamDestroy(owner));
    CHECK(cudaStreamDestroy(user));
    return 0;
}
