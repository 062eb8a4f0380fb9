// Memory allocated and freed in the order of a stream, from the device's pool and from one of our own.
// verdict: clean
#include "check.h"

constexpr int COUNT = 1 << 14;
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
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    std::printf("pools supported: %d\n", supported);

    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    unsigned long long* total;
    CHECK(cudaMallocAsync(&total, sizeof *total, stream));
    CHECK(cudaMemsetAsync(total, 0, sizeof *total, stream));
    for (int round = 0; round < 4; round++) {
        int* numbers;
        // Each round may get the memory of the round before: the stream orders their uses.
        CHECK(cudaMallocAsync(&numbers, BYTES, stream));
        fill<<<COUNT / 256, 256, 0, stream>>>(numbers, round);
        CHECK(cudaGetLastError());
        sum<<<COUNT / 256, 256, 0, stream>>>(numbers, total);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(numbers, stream));
    }

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemPool_t pool;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    unsigned long long threshold = 1 << 20;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    int* numbers;
    CHECK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&numbers), BYTES, pool, stream));
    fill<<<COUNT / 256, 256, 0, stream>>>(numbers, 0);
    CHECK(cudaGetLastError());
    sum<<<COUNT / 256, 256, 0, stream>>>(numbers, total);
    CHECK(cudaGetLastError());
    unsigned long long host = 0;
    CHECK(cudaMemcpyAsync(&host, total, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    unsigned long long used = 0, reserved = 0, kept = 0;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    std::printf("total %llu; used at least what we asked for: %s; reserved at least what is used: %s; threshold %llu\n", host,
                used >= BYTES ? "yes" : "no", reserved >= used ? "yes" : "no", kept);

    CHECK(cudaFreeAsync(numbers, stream));
    CHECK(cudaFreeAsync(total, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(cudaMemPoolTrimTo(pool, 0));
    std::printf("used after the free: %llu\n", used);
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
