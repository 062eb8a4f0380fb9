// What a stream tells about itself: flags, priority, device, and whether its work is done.
// verdict: clean
#include "check.h"

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int least = 0, greatest = 0;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    std::printf("least %d, greatest below it: %s\n", least, greatest < least ? "yes" : "no");

    cudaStream_t high, low, plain;
    CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamDefault, least));
    CHECK(cudaStreamCreate(&plain));
    int priority = 1;
    unsigned flags = 99;
    CHECK(cudaStreamGetPriority(high, &priority));
    CHECK(cudaStreamGetFlags(high, &flags));
    std::printf("high: as asked %s, flags %u\n", priority == greatest ? "yes" : "no", flags);
    CHECK(cudaStreamGetPriority(low, &priority));
    CHECK(cudaStreamGetFlags(low, &flags));
    std::printf("low: as asked %s, flags %u\n", priority == least ? "yes" : "no", flags);
    CHECK(cudaStreamGetPriority(plain, &priority));
    CHECK(cudaStreamGetFlags(plain, &flags));
    std::printf("plain: priority %d, flags %u\n", priority, flags);
    // A priority out of the range is moved into it.
    cudaStream_t beyond;
    CHECK(cudaStreamCreateWithPriority(&beyond, cudaStreamNonBlocking, greatest - 100));
    CHECK(cudaStreamGetPriority(beyond, &priority));
    std::printf("beyond: moved into the range %s\n", priority == greatest ? "yes" : "no");

    unsigned long long ids[3];
    CHECK(cudaStreamGetId(high, &ids[0]));
    CHECK(cudaStreamGetId(low, &ids[1]));
    CHECK(cudaStreamGetId(plain, &ids[2]));
    std::printf("ids differ: %s\n", ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2] ? "yes" : "no");

    int* data;
    CHECK(cudaMalloc(&data, 64 * sizeof(int)));
    fill<<<1, 64, 0, high>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(high));
    std::printf("after a wait: %s\n", cudaGetErrorName(cudaStreamQuery(high)));
    std::printf("no work at all: %s\n", cudaGetErrorName(cudaStreamQuery(low)));
    CHECK(cudaStreamDestroy(high));
    CHECK(cudaStreamDestroy(low));
    CHECK(cudaStreamDestroy(plain));
    CHECK(cudaStreamDestroy(beyond));
    CHECK(cudaFree(data));
    return 0;
}
