// A kernel writes the first half of an array while another stream copies the second half: the bytes differ.
// verdict: clean
#include "check.h"

constexpr int HALF = 512;

__global__ void number(int* data, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] = i;
    }
}

int main() {
    int* data;
    int* copy;
    CHECK(cudaMalloc(&data, 2 * HALF * sizeof(int)));
    CHECK(cudaMalloc(&copy, 2 * HALF * sizeof(int)));
    CHECK(cudaMemset(data, 0x11, 2 * HALF * sizeof(int)));
    CHECK(cudaMemset(copy, 0, 2 * HALF * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t one, other;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    // The kernel gets the whole array and stops in the middle.
    number<<<4, 256, 0, one>>>(data, HALF);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(copy + HALF, data + HALF, HALF * sizeof(int), cudaMemcpyDeviceToDevice, other));
    CHECK(cudaDeviceSynchronize());
    int ends[2];
    CHECK(cudaMemcpy(&ends[0], data + HALF - 1, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&ends[1], copy + 2 * HALF - 1, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("%d %x\n", ends[0], static_cast<unsigned>(ends[1]));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(copy));
    CHECK(cudaFree(data));
    return 0;
}
