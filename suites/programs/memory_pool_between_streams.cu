// Stream-ordered memory is freed in one stream and allocated in others, which may get the same memory: the pool sees to the order.
// verdict: clean
#include "check.h"

constexpr int COUNT = 4096;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void fill(int* numbers, int start) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = start + i;
}

__global__ void sum(const int* numbers, unsigned long long* total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(total, static_cast<unsigned long long>(numbers[i]));
}

int main() {
    cudaStream_t streams[3];
    cudaEvent_t freed;
    CHECK(cudaEventCreateWithFlags(&freed, cudaEventDisableTiming));
    for (cudaStream_t& stream : streams) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    unsigned long long* total;
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemset(total, 0, sizeof *total));
    CHECK(cudaDeviceSynchronize());
    for (int round = 0; round < 6; round++) {
        // Every other round waits for the free of the round before.
        cudaStream_t stream = streams[round % 3];
        if (round % 2 == 1) {
            CHECK(cudaStreamWaitEvent(stream, freed, 0));
        }
        int* numbers;
        CHECK(cudaMallocAsync(&numbers, BYTES, stream));
        fill<<<COUNT / 256, 256, 0, stream>>>(numbers, round);
        CHECK(cudaGetLastError());
        sum<<<COUNT / 256, 256, 0, stream>>>(numbers, total);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(numbers, stream));
        CHECK(cudaEventRecord(freed, stream));
    }
    CHECK(cudaDeviceSynchronize());
    unsigned long long host = 0;
    CHECK(cudaMemcpy(&host, total, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("total %llu\n", host);
    CHECK(cudaEventDestroy(freed));
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaFree(total));
    return 0;
}
