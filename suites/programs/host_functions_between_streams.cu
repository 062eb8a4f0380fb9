// Functions of the host in three streams follow each other by events and use pinned memory in turn with kernels.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int COUNT = 64;
constexpr int STREAMS = 3;
constexpr int ROUNDS = 3;

__global__ void add(int* numbers, int value) {
    numbers[threadIdx.x] += value;
}

static std::vector<int> order;

struct Turn {
    int number;
    int* numbers;
};

static void CUDART_CB take_turn(void* argument) {
    Turn* turn = static_cast<Turn*>(argument);
    order.push_back(turn->number);
    for (int i = 0; i < COUNT; i++) {
        turn->numbers[i] = turn->numbers[i] * 2 + turn->number;
    }
}

int main() {
    int* numbers;
    CHECK(cudaMallocHost(&numbers, COUNT * sizeof(int)));
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = i;
    }
    cudaStream_t streams[STREAMS];
    cudaEvent_t done[STREAMS];
    Turn turns[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
        turns[s] = {s, numbers};
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int s = 0; s < STREAMS; s++) {
            if (round > 0 || s > 0) {
                CHECK(cudaStreamWaitEvent(streams[s], done[(s + STREAMS - 1) % STREAMS], 0));
            }
            CHECK(cudaLaunchHostFunc(streams[s], take_turn, &turns[s]));
            add<<<1, COUNT, 0, streams[s]>>>(numbers, 7);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(done[s], streams[s]));
        }
    }
    CHECK(cudaEventSynchronize(done[STREAMS - 1]));
    std::printf("order:");
    for (int number : order) {
        std::printf(" %d", number);
    }
    std::printf("\nnumbers: %d %d\n", numbers[0], numbers[COUNT - 1]);
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaEventDestroy(done[s]));
        CHECK(cudaStreamDestroy(streams[s]));
    }
    CHECK(cudaFreeHost(numbers));
    return 0;
}
