// An inclusive scan of 512 numbers in each block, over doubling distances (Hillis and Steele), from one half of shared memory
// to the other and back. Each block scans the same numbers, rotated by its own number, and gives one of the sums to the host.
//
// Race 1: no barrier behind the step of distance 64, so that warps read sums that others are about to write, and write over
// sums that others have still to read. Race 2: two blocks give their sums to the same cell. Race 3: a block adds another's.
//@ races: 3
#include "support/application.h"

constexpr int THREADS = 512;

template <int RACE>
__global__ void scan(const int* numbers, int* results) {
    __shared__ int sums[2][THREADS];
    const int thread = threadIdx.x;
    int from = 0;
    int sum = numbers[(thread + blockIdx.x) % THREADS];
    sums[from][thread] = sum;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        if (thread >= distance) {
            // Distances of the two steps that meet are of whole warps: no lane meets another one of its warp.
            sum += sums[from][thread - distance];  //~ [race 1] [hb, ld] race: missing-sync (with line 25)
        }
        from = 1 - from;
        sums[from][thread] = sum;
        if (RACE != 1 || distance != 64) {
            __syncthreads();
        }
    }
    if (thread == (2 * blockIdx.x + 1) % THREADS) {
        results[RACE == 2 ? blockIdx.x / 2 : blockIdx.x] = RACE == 3 ? sum + results[blockIdx.x ^ 1] : sum;  //~ [race 2] [hb, ld] race: missing-sync (with itself)  //~ [race 3] [hb, ld] race: missing-sync (with itself)
    }
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 3);
    const int blocks = options.is_paper ? 256 : 8;
    std::vector<int> numbers(THREADS), expected(blocks);
    ld::Numbers random(1);
    for (int& number : numbers) {
        number = 1 + int(random.below(99));
    }
    for (int block = 0; block < blocks; ++block) {
        for (int at = 0; at <= (2 * block + 1) % THREADS; ++at) {
            expected[block] += numbers[(at + block) % THREADS];
        }
    }
    ld::Buffer<int> in(numbers), results(blocks);
    ld::repeat<3>("scan", options, [&](auto race) {
        scan<decltype(race)::value><<<blocks, THREADS>>>(in.device(), results.device());
    });
    return ld::finish("scan", options, results.host() == expected);
}
