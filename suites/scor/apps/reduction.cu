// The sum of an array, by fences of two scopes (figure 4 of the ScoRD paper). In a block, one half of the last 64 threads
// hands its sums to the other by a fence of block scope and flags; the blocks' sums are handed to the block that comes
// last by a fence of device scope.
//
// Race 1: no fence before the flags in the block. Race 2: the fence before the last counter has block scope.
// Races 3 to 7, which iGUARD found: no __syncwarp() before one of the five steps in which a warp adds its lanes.
//@ races: 7
//@ its: 5
#include "../../hb/support.h"
#include "../support/application.h"

constexpr unsigned THREADS = 256;

template <int RACE>
__global__ void reduce(const unsigned* in, volatile unsigned* partial, unsigned* ready, unsigned* lane_sums,
                       volatile unsigned* block_sums, unsigned* arrived, unsigned* total) {
    __shared__ bool is_last;
    const unsigned thread = threadIdx.x;
    const unsigned* mine = in + blockIdx.x * 2 * THREADS;
    volatile unsigned* sums = partial + blockIdx.x * THREADS;
    unsigned* flags = ready + blockIdx.x * THREADS;
    unsigned* lanes = lane_sums + blockIdx.x * 32;

    unsigned sum = mine[thread] + mine[thread + THREADS];
    sums[thread] = sum;
    __syncthreads();
    if (thread < 128) {
        sum += sums[thread + 128];
        sums[thread] = sum;
    }
    __syncthreads();
    if (thread < 64) {
        sum += sums[thread + 64];
        sums[thread] = sum;
    }
    if (thread >= 32 && thread < 64) {
        if constexpr (RACE != 1) {
            __threadfence_block();
        }
        atomicExch_block(flags + thread, 1u);
    }
    if (thread < 32) {
        while (atomicAdd_block(flags + thread + 32, 0u) == 0u) {
        }
        __threadfence_block();
        sum += sums[thread + 32];  //~ [race 1] [scord] race: missing-fence (with line 34) by scord IV(a)  //~ [race 1] [iguard] race: missing-sync (with line 34) by iguard R3  //~ [race 1] [hb] race: missing-fence error (with line 34) by hb "volatile only where nothing else is wrong"
        __syncwarp();

        weak_store(lanes + thread, sum);
        if constexpr (RACE != 3) {
            __syncwarp();
        }
        if (thread < 16) {
            sum += weak_load(lanes + thread + 16);  //~ [race 3] [iguard] race: warp-sync error (with line 49) by iguard R2  //~ [race 3] [hb] race: warp-sync error (with line 49) by hb "lanes of one warp are NOT ordered by being in one warp"
            weak_store(lanes + thread, sum);
        }
        if constexpr (RACE != 4) {
            __syncwarp();
        }
        if (thread < 8) {
            sum += weak_load(lanes + thread + 8);  //~ [race 4] [iguard] race: warp-sync error (with line 55) by iguard R2  //~ [race 4] [hb] race: warp-sync error (with line 55) by hb "lanes of one warp are NOT ordered by being in one warp"
            weak_store(lanes + thread, sum);
        }
        if constexpr (RACE != 5) {
            __syncwarp();
        }
        if (thread < 4) {
            sum += weak_load(lanes + thread + 4);  //~ [race 5] [iguard] race: warp-sync error (with line 62) by iguard R2  //~ [race 5] [hb] race: warp-sync error (with line 62) by hb "lanes of one warp are NOT ordered by being in one warp"
            weak_store(lanes + thread, sum);
        }
        if constexpr (RACE != 6) {
            __syncwarp();
        }
        if (thread < 2) {
            sum += weak_load(lanes + thread + 2);  //~ [race 6] [iguard] race: warp-sync error (with line 69) by iguard R2  //~ [race 6] [hb] race: warp-sync error (with line 69) by hb "lanes of one warp are NOT ordered by being in one warp"
            weak_store(lanes + thread, sum);
        }
        if constexpr (RACE != 7) {
            __syncwarp();
        }
        if (thread == 0) {
            sum += weak_load(lanes + 1);  //~ [race 7] [iguard] race: warp-sync error (with line 76) by iguard R2  //~ [race 7] [hb] race: warp-sync error (with line 76) by hb "lanes of one warp are NOT ordered by being in one warp"
            block_sums[blockIdx.x] = sum;
            if constexpr (RACE == 2) {
                __threadfence_block();
            } else {
                __threadfence();
            }
            is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
            if (is_last) {
                __threadfence();
            }
        }
    }
    __syncthreads();
    if (is_last && thread < 32) {
        unsigned all = 0;
        for (unsigned block = thread; block < gridDim.x; block += 32) {
            all += block_sums[block];  //~ [race 2] [scord] race: scope (with line 83) by scord IV(b)  //~ [race 2] [iguard] race: missing-sync (with line 83) by iguard R4  //~ [race 2] [hb] race: scope error (with line 83) by hb "volatile only where nothing else is wrong"
        }
        for (unsigned distance = 16; distance > 0; distance /= 2) {
            all += __shfl_down_sync(~0u, all, distance);
        }
        if (thread == 0) {
            *total = all;
        }
    }
}

int main(int count, char** words) {
    const scor::Options options = scor::read_options(count, words, 7);
    const unsigned blocks = options.size == scor::Size::paper ? 50'000 : 8;
    std::vector<unsigned> numbers(std::size_t(blocks) * 2 * THREADS);
    scor::Numbers random(110);
    unsigned expected = 0;
    for (unsigned& number : numbers) {
        number = random.below(1000);
        expected += number;
    }
    scor::Buffer<unsigned> in(numbers), partial(blocks * THREADS), ready(blocks * THREADS), lane_sums(blocks * 32);
    scor::Buffer<unsigned> block_sums(blocks), arrived(1), total(1);
    scor::with_race<7>(options.race, [&](auto race) {
        reduce<decltype(race)::value><<<blocks, THREADS>>>(in.device(), partial.device(), ready.device(), lane_sums.device(),
                                                           block_sums.device(), arrived.device(), total.device());
    });
    return scor::finish("reduction", options, total.host()[0] == expected);
}
