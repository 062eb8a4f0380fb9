// Four kernels in four streams hand a number round: each waits for the one before it, so none can end before all have begun.
// verdict: clean
#include "check.h"
#include <cuda/atomic>

constexpr int PLAYERS = 4;
constexpr int ROUNDS = 20;

__global__ void play(int* ball, int mine, int* hits) {
    cuda::atomic_ref<int, cuda::thread_scope_device> turn(*ball);
    for (int next = mine; next < PLAYERS * ROUNDS; next += PLAYERS) {
        while (turn.load(cuda::memory_order_relaxed) != next) {
        }
        hits[mine] += 1;
        turn.store(next + 1, cuda::memory_order_relaxed);
    }
}

int main() {
    int *ball, *hits;
    CHECK(cudaMalloc(&ball, sizeof(int)));
    CHECK(cudaMalloc(&hits, PLAYERS * sizeof(int)));
    CHECK(cudaMemset(ball, 0, sizeof(int)));
    CHECK(cudaMemset(hits, 0, PLAYERS * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t streams[PLAYERS];
    for (cudaStream_t& stream : streams) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    // The last player is launched first.
    for (int player = PLAYERS - 1; player >= 0; player--) {
        play<<<1, 1, 0, streams[player]>>>(ball, player, hits);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaStreamSynchronize(streams[1]));
    CHECK(cudaDeviceSynchronize());
    int host[PLAYERS], end = 0;
    CHECK(cudaMemcpy(host, hits, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&end, ball, sizeof end, cudaMemcpyDeviceToHost));
    std::printf("hits %d %d %d %d, the number is %d\n", host[0], host[1], host[2], host[3], end);
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaFree(ball));
    CHECK(cudaFree(hits));
    return 0;
}
