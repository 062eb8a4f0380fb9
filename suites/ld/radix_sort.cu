// A radix sort by one warp, bit by bit. Each lane has a stretch of the keys: it counts zeros and ones, finds where its own of
// each begin among all, and moves its keys there, to another array. Lanes are ordered by barriers between these steps.
//
// Race 1: there are two blocks with keys of their own, and both write what they have sorted to the same place. Race 2:
// the place of the second begins in the middle of that of the first. One warp alone has nobody to race with.
//@ races: 2
#include "support/application.h"

#include <algorithm>

constexpr int LANES = 32;
constexpr int BITS = 32;

template <int RACE>
__global__ void sort(const unsigned* keys, unsigned* one, unsigned* other, unsigned* sorted, int count) {
    // Where zeros of each lane begin, and behind them where ones do.
    __shared__ int starts[2 * LANES];
    const int lane = threadIdx.x;
    const int part = blockIdx.x * count;
    const int stretch = count / LANES;
    for (int bit = 0; bit < BITS; ++bit) {
        const unsigned* from = (bit == 0 ? keys : bit % 2 == 1 ? one : other) + part + lane * stretch;
        unsigned* to = (bit % 2 == 0 ? one : other) + part;
        if (bit == BITS - 1) {
            to = sorted + (RACE == 1 ? 0 : RACE == 2 ? part / 2 : part);
        }
        int ones = 0;
        for (int at = 0; at < stretch; ++at) {
            ones += from[at] >> bit & 1;
        }
        starts[lane] = stretch - ones;
        starts[LANES + lane] = ones;
        __syncthreads();
        if (lane == 0) {
            int sum = 0;
            for (int at = 0; at < 2 * LANES; ++at) {
                const int own = starts[at];
                starts[at] = sum;
                sum += own;
            }
        }
        __syncthreads();
        int zero_at = starts[lane];
        int one_at = starts[LANES + lane];
        for (int at = 0; at < stretch; ++at) {
            const unsigned key = from[at];
            const bool is_one = key >> bit & 1;
            const int place = is_one ? one_at : zero_at;
            to[place] = key;  //~ [race 1] [hb, ld] race: missing-sync (with itself)  //~ [race 2] [hb, ld] race: missing-sync (with itself)
            one_at += is_one ? 1 : 0;
            zero_at += is_one ? 0 : 1;
        }
        __syncthreads();
    }
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 2);
    const int blocks = options.race != 0 ? 2 : 1;
    const int keys = options.is_paper ? 8192 : 512;
    std::vector<unsigned> unsorted(blocks * keys);
    ld::Numbers random(32);
    for (unsigned& key : unsorted) {
        key = random.next();
    }
    ld::Buffer<unsigned> in(unsorted), one(blocks * keys), other(blocks * keys), sorted(blocks * keys);
    ld::repeat<2>("radix_sort", options, [&](auto race) {
        sort<decltype(race)::value><<<blocks, LANES>>>(in.device(), one.device(), other.device(), sorted.device(), keys);
    });
    for (int block = 0; block < blocks; ++block) {
        std::sort(unsorted.begin() + block * keys, unsorted.begin() + (block + 1) * keys);
    }
    return ld::finish("radix_sort", options, sorted.host() == unsorted);
}
