// Memory of a pool is used in one stream and freed in another, which waits for an event behind the kernel.
// verdict: clean
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* numbers) {
    numbers[threadIdx.x] = threadIdx.x;
}

int main() {
    cudaStream_t owner, user;
    CHECK(cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
    int* numbers;
    CHECK(cudaMallocAsync(&numbers, COUNT * sizeof(int), owner));
    cudaEvent_t there, used;
    CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    CHECK(cudaEventRecord(there, owner));
    CHECK(cudaStreamWaitEvent(user, there, 0));
    fill<<<1, COUNT, 0, user>>>(numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(used, user));
    CHECK(cudaStreamWaitEvent(owner, used, 0));
    CHECK(cudaFreeAsync(numbers, owner));
    CHECK(cudaStreamSynchronize(owner));
    std::printf("done\n");
    CHECK(cudaEventDestroy(there));
    CHECK(cudaEventDestroy(used));
    CHECK(cudaStreamDestroy(owner));
    CHECK(cudaStreamDestroy(user));
    return 0;
}
