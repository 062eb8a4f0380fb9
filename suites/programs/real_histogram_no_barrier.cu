// The histogram of real_histogram.cu without the barrier between counting and adding up.
// verdict: race
#include "check.h"
#include <string>

constexpr int BINS = 64;

__global__ void histogram(const unsigned char* text, int length, unsigned* bins) {
    __shared__ unsigned counts[BINS];
    if (threadIdx.x < BINS) {
        counts[threadIdx.x] = 0;
    }
    __syncthreads();
    // The first two warps add up, the other two count.
    if (threadIdx.x >= BINS) {
        for (int i = threadIdx.x - BINS; i < length; i += BINS) {
            atomicAdd(&counts[text[i] % BINS], 1u);
        }
    } else {
        atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);  //~ race: missing-sync error (with line 17)
    }
}

int main() {
    std::string text;
    for (int i = 0; i < 20; i++) {
        text += "the quick brown fox jumps over the lazy dog ";
    }
    unsigned char* device_text;
    unsigned* bins;
    CHECK(cudaMalloc(&device_text, text.size()));
    CHECK(cudaMalloc(&bins, BINS * sizeof(unsigned)));
    CHECK(cudaMemcpy(device_text, text.data(), text.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bins, 0, BINS * sizeof(unsigned)));
    histogram<<<1, 2 * BINS>>>(device_text, static_cast<int>(text.size()), bins);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("counted %zu characters\n", text.size());
    CHECK(cudaFree(device_text));
    CHECK(cudaFree(bins));
    return 0;
}
