// The host asks several streams and events in turn, and gives each the next piece of work as soon as it is done.
// verdict: clean
#include "check.h"

constexpr int COUNT = 128;
constexpr size_t BYTES = COUNT * sizeof(int);
constexpr int LANES = 4;
constexpr int STAGES = 4;

__global__ void add(int* data, int value) {
    data[threadIdx.x] += value * threadIdx.x;
}

struct Lane {
    cudaStream_t stream;
    cudaEvent_t done;
    int *data, *host;
    int stage, total;
};

static void launch(Lane& lane, int number) {
    add<<<1, COUNT, 0, lane.stream>>>(lane.data, number + lane.stage + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(lane.host, lane.data, BYTES, cudaMemcpyDeviceToHost, lane.stream));
    CHECK(cudaEventRecord(lane.done, lane.stream));
}

int main() {
    Lane lanes[LANES] = {};
    for (Lane& lane : lanes) {
        CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&lane.done, cudaEventDisableTiming));
        CHECK(cudaMalloc(&lane.data, BYTES));
        CHECK(cudaMallocHost(&lane.host, BYTES));
        CHECK(cudaMemset(lane.data, 0, BYTES));
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < LANES; i++) {
        launch(lanes[i], i);
    }
    for (int left = LANES; left > 0;) {
        for (int i = 0; i < LANES; i++) {
            Lane& lane = lanes[i];
            if (lane.stage == STAGES) {
                continue;
            }
            cudaError_t status = i % 2 == 0 ? cudaStreamQuery(lane.stream) : cudaEventQuery(lane.done);
            if (status == cudaErrorNotReady) {
                continue;
            }
            CHECK(status);
            lane.total += lane.host[COUNT - 1];
            lane.host[0] = -1;
            if (++lane.stage < STAGES) {
                launch(lane, i);
            } else {
                left--;
            }
        }
    }
    for (Lane& lane : lanes) {
        std::printf("%d stages, total %d\n", lane.stage, lane.total);
        CHECK(cudaEventDestroy(lane.done));
        CHECK(cudaStreamDestroy(lane.stream));
        CHECK(cudaFree(lane.data));
        CHECK(cudaFreeHost(lane.host));
    }
    return 0;
}
