// A running kernel answers questions of the host through two numbers in mapped memory; the host calls nothing meanwhile.
// verdict: clean
#include "check.h"
#include <cuda/atomic>

constexpr int ROUNDS = 12;

using Shared = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void answer(int* question, int* reply) {
    for (int round = 1; round <= ROUNDS; round++) {
        while (Shared(*question).load(cuda::memory_order_relaxed) != round) {
        }
        Shared(*reply).store(round * round, cuda::memory_order_relaxed);
    }
}

int main() {
    int* numbers;
    CHECK(cudaHostAlloc(&numbers, 2 * sizeof(int), cudaHostAllocMapped));
    numbers[0] = numbers[1] = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    answer<<<1, 1, 0, stream>>>(numbers, numbers + 1);
    CHECK(cudaGetLastError());
    int sum = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        Shared(numbers[0]).store(round, cuda::memory_order_relaxed);
        while (Shared(numbers[1]).load(cuda::memory_order_relaxed) != round * round) {
        }
        sum += round * round;
    }
    CHECK(cudaStreamSynchronize(stream));
    std::printf("sum of the answers %d, the last one %d\n", sum, numbers[1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(numbers));
    return 0;
}
