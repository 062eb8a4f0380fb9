// The host changes pinned memory between the rows of a 2D copy that may still be reading them.
// verdict: clean
#include "check.h"

constexpr int WIDTH = 24;
constexpr int PITCH = 32;
constexpr int ROWS = 64;

int main() {
    int *host, *device;
    CHECK(cudaMallocHost(&host, PITCH * ROWS * sizeof(int)));
    CHECK(cudaMalloc(&device, WIDTH * ROWS * sizeof(int)));
    for (int i = 0; i < PITCH * ROWS; i++) {
        host[i] = i;
    }
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemcpy2DAsync(device, WIDTH * 4, host, PITCH * 4, WIDTH * 4, ROWS, cudaMemcpyHostToDevice, stream));
    host[40 * PITCH + WIDTH] = -1;
    CHECK(cudaStreamSynchronize(stream));
    int last = 0;
    CHECK(cudaMemcpy(&last, device + WIDTH * ROWS - 1, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("last number: %d, changed: %d\n", last, host[40 * PITCH + WIDTH]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return 0;
}
