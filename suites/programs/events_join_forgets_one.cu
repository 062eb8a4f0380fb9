// The join of events_fork_join.cu with two branches, where the wait for the second one is forgotten.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void first_branch(int* target) {
    target[threadIdx.x] = threadIdx.x;
}

__global__ void second_branch(int* target) {
    target[threadIdx.x] = threadIdx.x * 2;
}

__global__ void join(int* sums, const int* first, const int* second) {
    int sum = first[COUNT - 1 - threadIdx.x];
    sum += second[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 12)
    sums[threadIdx.x] = sum;
}

int main() {
    int *first, *second, *sums;
    CHECK(cudaMalloc(&first, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&second, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&sums, COUNT * sizeof(int)));
    cudaStream_t one, other;
    cudaEvent_t first_done, second_done;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&first_done, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&second_done, cudaEventDisableTiming));
    first_branch<<<1, COUNT, 0, one>>>(first);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(first_done, one));
    second_branch<<<1, COUNT, 0, other>>>(second);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(second_done, other));
    // The stream waits for its own event, which it need not, and not for the other one's.
    CHECK(cudaStreamWaitEvent(one, first_done, 0));
    join<<<1, COUNT, 0, one>>>(sums, first, second);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("joined %d numbers\n", COUNT);
    CHECK(cudaEventDestroy(first_done));
    CHECK(cudaEventDestroy(second_done));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaFree(sums));
    return 0;
}
