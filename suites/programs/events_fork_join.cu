// One stream forks into three by an event and joins them again by three events.
// verdict: clean
#include "check.h"

constexpr int COUNT = 256;
constexpr int BRANCHES = 3;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void branch(int* target, const int* data, int which) {
    target[which * COUNT + threadIdx.x] = data[(threadIdx.x + which) % COUNT] * which;
}

__global__ void join(int* sums, const int* parts) {
    int sum = 0;
    for (int which = 0; which < BRANCHES; which++) {
        sum += parts[which * COUNT + COUNT - 1 - threadIdx.x];
    }
    sums[threadIdx.x] = sum;
}

int main() {
    int *data, *parts, *sums;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&parts, BRANCHES * COUNT * sizeof(int)));
    CHECK(cudaMalloc(&sums, COUNT * sizeof(int)));
    cudaStream_t trunk, streams[BRANCHES];
    cudaEvent_t forked, joined[BRANCHES];
    CHECK(cudaStreamCreateWithFlags(&trunk, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    for (int i = 0; i < BRANCHES; i++) {
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&joined[i], cudaEventDisableTiming));
    }
    int host[COUNT];
    for (int round = 0; round < 2; round++) {
        fill<<<1, COUNT, 0, trunk>>>(data);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(forked, trunk));
        for (int i = 0; i < BRANCHES; i++) {
            CHECK(cudaStreamWaitEvent(streams[i], forked, 0));
            branch<<<1, COUNT, 0, streams[i]>>>(parts, data, i);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(joined[i], streams[i]));
            CHECK(cudaStreamWaitEvent(trunk, joined[i], cudaEventWaitDefault));
        }
        join<<<1, COUNT, 0, trunk>>>(sums, parts);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpyAsync(host, sums, sizeof host, cudaMemcpyDeviceToHost, trunk));
    CHECK(cudaStreamSynchronize(trunk));
    std::printf("%d %d\n", host[0], host[COUNT - 1]);
    for (int i = 0; i < BRANCHES; i++) {
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaEventDestroy(joined[i]));
    }
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaStreamDestroy(trunk));
    CHECK(cudaFree(data));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(sums));
    return 0;
}
