// A histogram of 64 bins without atomics. Each thread counts in bytes of its own in shared memory, of which four of different
// threads make a word; then threads add the counters of one bin each, and a second kernel adds what the blocks have found.
//
// Race 1: the last value of each thread is counted in the column of a thread of the next warp. Race 2: two blocks write their
// histograms to the same place. Race 3: in the second kernel both warps write to the bins of the first.
//@ races: 3
#include "support/application.h"

constexpr int THREADS = 192;
constexpr int BINS = 64;
constexpr int WARP = 32;
// Far fewer than the 255 that a counter has room for.
constexpr int VALUES = 9;

template <int RACE>
__global__ void count_values(const unsigned char* values, int* histograms) {
    __shared__ unsigned words[BINS * THREADS / 4];
    unsigned char* counters = reinterpret_cast<unsigned char*>(words);
    const int thread = threadIdx.x;
    for (int at = thread; at < BINS * THREADS / 4; at += THREADS) {
        words[at] = 0;
    }
    __syncthreads();
    for (int step = 0; step < VALUES; ++step) {
        const int bin = values[(blockIdx.x * VALUES + step) * THREADS + thread];
        const int column = RACE == 1 && step == VALUES - 1 ? (thread + WARP) % THREADS : thread;
        // What both warps write differs from the zero that was there, whatever they read.
        counters[bin * THREADS + column] += 1;  //~ [race 1] [hb, ld] race: missing-sync (with itself)
    }
    __syncthreads();
    if (thread < BINS) {
        int sum = 0;
        for (int column = 0; column < THREADS; ++column) {
            sum += counters[thread * THREADS + column];
        }
        const int place = RACE == 2 ? blockIdx.x / 2 : blockIdx.x;
        histograms[place * BINS + thread] = sum;  //~ [race 2] [hb, ld] race: missing-sync (with itself)
    }
}

template <int RACE>
__global__ void add_histograms(const int* histograms, int* total, int blocks) {
    int sum = 0;
    for (int block = 0; block < blocks; ++block) {
        sum += histograms[block * BINS + threadIdx.x];
    }
    total[RACE == 3 ? threadIdx.x % WARP : threadIdx.x] = sum;  //~ [race 3] [hb, ld] race: missing-sync (with itself)
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 3);
    const int blocks = options.is_paper ? 2067 : 8;
    std::vector<unsigned char> values(blocks * THREADS * VALUES);
    std::vector<int> expected(BINS);
    ld::Numbers random(64);
    for (unsigned char& value : values) {
        value = static_cast<unsigned char>(random.below(BINS));
        ++expected[value];
    }
    ld::Buffer<unsigned char> in(values);
    ld::Buffer<int> histograms(blocks * BINS), total(BINS);
    ld::repeat<3>("histogram64", options, [&](auto race) {
        count_values<decltype(race)::value><<<blocks, THREADS>>>(in.device(), histograms.device());
        add_histograms<decltype(race)::value><<<1, BINS>>>(histograms.device(), total.device(), blocks);
    });
    return ld::finish("histogram64", options, total.host() == expected);
}
