// Page rank in fixed-point numbers, from one array to another; the largest change ends the rounds.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int PAGES = 512;
constexpr int LINKS = 4;
constexpr long long ONE = 1ll << 32;

__global__ void spread(const int* sources, const long long* ranks, long long* next, unsigned long long* largest) {
    int page = blockIdx.x * blockDim.x + threadIdx.x;
    long long sum = 0;
    for (int i = 0; i < LINKS; i++) {
        sum += ranks[sources[page * LINKS + i]] / LINKS;
    }
    long long rank = ONE * 15 / 100 / PAGES + sum * 85 / 100;
    long long change = rank - ranks[page];
    next[page] = rank;
    atomicMax(largest, static_cast<unsigned long long>(change < 0 ? -change : change));
}

int main() {
    std::vector<int> sources(PAGES * LINKS);
    std::vector<long long> ranks(PAGES, ONE / PAGES);
    for (int page = 0; page < PAGES; page++) {
        for (int i = 0; i < LINKS; i++) {
            sources[page * LINKS + i] = (page * (2 * i + 1) + 17 * i * i) % (i % 2 == 0 ? PAGES : PAGES / 4);
        }
    }
    int* device_sources;
    long long *from, *to;
    unsigned long long* largest;
    CHECK(cudaMalloc(&device_sources, sources.size() * sizeof(int)));
    CHECK(cudaMalloc(&from, PAGES * sizeof(long long)));
    CHECK(cudaMalloc(&to, PAGES * sizeof(long long)));
    CHECK(cudaMallocManaged(&largest, sizeof *largest));
    CHECK(cudaMemcpy(device_sources, sources.data(), sources.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(from, ranks.data(), PAGES * sizeof(long long), cudaMemcpyHostToDevice));
    int rounds = 0;
    do {
        *largest = 0;
        spread<<<PAGES / 128, 128>>>(device_sources, from, to, largest);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        std::swap(from, to);
        rounds++;
    } while (*largest > 1000 && rounds < 30);
    CHECK(cudaMemcpy(ranks.data(), from, PAGES * sizeof(long long), cudaMemcpyDeviceToHost));
    int best = 0;
    for (int page = 1; page < PAGES; page++) {
        if (ranks[page] > ranks[best]) {
            best = page;
        }
    }
    std::printf("rounds %d, best page %d with %lld\n", rounds, best, ranks[best]);
    CHECK(cudaFree(device_sources));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(largest));
    return 0;
}
