// A histogram: every block counts in shared memory and adds its counts to the global ones.
// verdict: clean
#include "check.h"
#include <string>

constexpr int BINS = 64;

__global__ void histogram(const unsigned char* text, int length, unsigned* bins) {
    __shared__ unsigned counts[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        counts[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[text[i] % BINS], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        if (counts[i] > 0) {
            atomicAdd(&bins[i], counts[i]);
        }
    }
}

int main() {
    std::string text;
    for (int i = 0; i < 200; i++) {
        text += "the quick brown fox jumps over the lazy dog ";
    }
    unsigned char* device_text;
    unsigned* bins;
    CHECK(cudaMalloc(&device_text, text.size()));
    CHECK(cudaMalloc(&bins, BINS * sizeof(unsigned)));
    CHECK(cudaMemcpy(device_text, text.data(), text.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bins, 0, BINS * sizeof(unsigned)));
    histogram<<<6, 96>>>(device_text, static_cast<int>(text.size()), bins);
    CHECK(cudaGetLastError());
    unsigned host[BINS];
    CHECK(cudaMemcpy(host, bins, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("e %u, o %u, z %u, spaces %u\n", host['e' % BINS], host['o' % BINS], host['z' % BINS], host[' ' % BINS]);
    CHECK(cudaFree(device_text));
    CHECK(cudaFree(bins));
    return 0;
}
