// Two thousand launches in four streams; now and then, each stream takes what its neighbour has so far.
// verdict: clean
#include "check.h"

constexpr int COUNT = 32;
constexpr int STREAMS = 4;
constexpr int ROUNDS = 500;
constexpr int BETWEEN = 25;

__global__ void step(unsigned* data, unsigned round) {
    data[threadIdx.x] = data[threadIdx.x] * 3 + threadIdx.x + round;
}

__global__ void take(unsigned* sums, const unsigned* data) {
    sums[threadIdx.x] += data[COUNT - 1 - threadIdx.x];
}

int main() {
    unsigned *data[STREAMS], *sums[STREAMS];
    cudaStream_t streams[STREAMS];
    cudaEvent_t stepped[STREAMS], taken[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaMalloc(&data[s], COUNT * sizeof(unsigned)));
        CHECK(cudaMalloc(&sums[s], COUNT * sizeof(unsigned)));
        CHECK(cudaMemset(data[s], 0, COUNT * sizeof(unsigned)));
        CHECK(cudaMemset(sums[s], 0, COUNT * sizeof(unsigned)));
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&stepped[s], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&taken[s], cudaEventDisableTiming));
    }
    CHECK(cudaDeviceSynchronize());
    for (int round = 0; round < ROUNDS; round++) {
        for (int s = 0; s < STREAMS; s++) {
            step<<<1, COUNT, 0, streams[s]>>>(data[s], round + s);
            CHECK(cudaGetLastError());
        }
        if (round % BETWEEN != BETWEEN - 1) {
            continue;
        }
        for (int s = 0; s < STREAMS; s++) {
            CHECK(cudaEventRecord(stepped[s], streams[s]));
        }
        for (int s = 0; s < STREAMS; s++) {
            int neighbour = (s + 1) % STREAMS;
            CHECK(cudaStreamWaitEvent(streams[s], stepped[neighbour], 0));
            take<<<1, COUNT, 0, streams[s]>>>(sums[s], data[neighbour]);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(taken[s], streams[s]));
        }
        for (int s = 0; s < STREAMS; s++) {
            CHECK(cudaStreamWaitEvent(streams[(s + 1) % STREAMS], taken[s], 0));
        }
    }
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < STREAMS; s++) {
        unsigned host[COUNT];
        CHECK(cudaMemcpy(host, sums[s], sizeof host, cudaMemcpyDeviceToHost));
        std::printf("stream %d: %u %u\n", s, host[0], host[COUNT - 1]);
        CHECK(cudaEventDestroy(stepped[s]));
        CHECK(cudaEventDestroy(taken[s]));
        CHECK(cudaStreamDestroy(streams[s]));
        CHECK(cudaFree(data[s]));
        CHECK(cudaFree(sums[s]));
    }
    return 0;
}
