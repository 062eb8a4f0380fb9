// A round of page rank in place: pages of one block read ranks that other blocks are replacing.
// verdict: race
#include "check.h"

constexpr int PAGES = 512;
constexpr int THREADS = 64;

__global__ void spread(unsigned* ranks) {
    int page = blockIdx.x * THREADS + threadIdx.x;
    // All links lead to pages of other blocks.
    unsigned sum = ranks[(page + 1 * THREADS) % PAGES] + ranks[(page + 3 * THREADS) % PAGES];
    ranks[page] = 150 + sum / 3;  //~ race: missing-sync error (with line 11)
}

int main() {
    unsigned* ranks;
    CHECK(cudaMalloc(&ranks, PAGES * sizeof(unsigned)));
    CHECK(cudaMemset(ranks, 1, PAGES * sizeof(unsigned)));
    for (int round = 0; round < 3; round++) {
        spread<<<PAGES / THREADS, THREADS>>>(ranks);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    std::printf("three rounds over %d pages\n", PAGES);
    CHECK(cudaFree(ranks));
    return 0;
}
