// The cellular automaton rule 110. Each block has a part of the cells, and lives in one launch through all generations. Inside
// of a block generations are separated by barriers. The cells at the borders of a block are shown to the neighbours: by a
// fence of device scope, and a counter. Cells that are not at a border need no fence of that scope.
//
// Race 1: the counter of a border is increased with block scope. Race 2: the fences at a border have block scope.
//@ races: 2
#include "../support/application.h"
#include "../support/locks.h"
#include "../support/turns.h"

using scor::Reach;

constexpr unsigned THREADS = 256;
constexpr unsigned LEFT = 0;
constexpr unsigned RIGHT = 1;
constexpr unsigned RULE = 110;

__host__ __device__ constexpr unsigned next_state(unsigned left, unsigned self, unsigned right) {
    return RULE >> (left * 4 + self * 2 + right) & 1;
}

// Shows the cell at a border, and returns that of the neighbour, which this thread alone reads.
template <int RACE>
__device__ unsigned swap_border(unsigned cell, volatile unsigned* shown, unsigned* told, unsigned side, unsigned neighbour,
                                unsigned generation) {
    constexpr Reach FENCES = RACE == 2 ? Reach::block : Reach::device;
    const unsigned own = blockIdx.x * 2 + side;
    const unsigned other = neighbour * 2 + (1 - side);
    const unsigned turn = generation % 2;
    shown[own * 2 + turn] = cell;
    scor::memory_fence<FENCES>();
    if constexpr (RACE == 1) {
        atomicAdd_block(told + own, 1u);
    } else {
        atomicAdd(told + own, 1u);
    }
    scor::wait_for(told + other, generation + 1);  //~ [race 1] [scord] race: scope (with line 33) by scord IV(d)  //~ [race 1] [iguard] race: scope (with line 33) by iguard R1  //~ [race 1] [hb] race: scope (with line 33) by hb "block-scope atomics from two blocks race"
    scor::memory_fence<FENCES>();
    return shown[other * 2 + turn];  //~ [race 1] [hb] race: volatile warning (with line 30) by hb "the two ends of the patterns are morally strong"  //~ [race 1, 2] [hb] race: scope error (with line 30) by hb "volatile only where nothing else is wrong"  //~ [race 2] [scord] race: scope (with line 30) by scord IV(b)  //~ [race 2] [iguard] race: missing-sync (with line 30) by iguard R4  //~ [race 2] [hb] race: volatile warning (with line 30) by hb "races in CUDA C++ but not in PTX"
}

template <int RACE>
__global__ void evolve(unsigned* even, unsigned* odd, volatile unsigned* shown, unsigned* told, unsigned cells,
                       unsigned generations) {
    const unsigned first = blockIdx.x * cells;
    for (unsigned generation = 0; generation < generations; ++generation) {
        const unsigned* from = generation % 2 == 0 ? even : odd;
        unsigned* to = generation % 2 == 0 ? odd : even;
        unsigned outside = 0;
        if (threadIdx.x == 0 && blockIdx.x > 0) {
            outside = swap_border<RACE>(from[first], shown, told, LEFT, blockIdx.x - 1, generation);
        }
        if (threadIdx.x == THREADS - 1 && blockIdx.x + 1 < gridDim.x) {
            outside = swap_border<RACE>(from[first + cells - 1], shown, told, RIGHT, blockIdx.x + 1, generation);
        }
        for (unsigned at = threadIdx.x; at < cells; at += THREADS) {
            const unsigned left = at == 0 ? outside : from[first + at - 1];
            const unsigned right = at == cells - 1 ? outside : from[first + at + 1];
            to[first + at] = next_state(left, from[first + at], right);
        }
        __syncthreads();
    }
}

int main(int count, char** words) {
    const scor::Options options = scor::read_options(count, words, 2);
    const bool is_paper = options.size == scor::Size::paper;
    // All blocks have to be there at the same time.
    const unsigned blocks = is_paper ? 128 : 4;
    const unsigned cells = THREADS * (is_paper ? 77 : 2);
    const unsigned generations = is_paper ? 32 : 6;
    std::vector<unsigned> before(blocks * cells), after(blocks * cells);
    scor::Numbers random(110);
    for (unsigned& cell : before) {
        cell = random.below(2);
    }
    scor::Buffer<unsigned> even(before), odd(before.size()), shown(blocks * 4), told(blocks * 2);
    for (unsigned generation = 0; generation < generations; ++generation) {
        for (std::size_t at = 0; at < before.size(); ++at) {
            const unsigned left = at == 0 ? 0 : before[at - 1];
            const unsigned right = at + 1 == before.size() ? 0 : before[at + 1];
            after[at] = next_state(left, before[at], right);
        }
        before.swap(after);
    }
    scor::with_race<2>(options.race, [&](auto race) {
        evolve<decltype(race)::value>
            <<<blocks, THREADS>>>(even.device(), odd.device(), shown.device(), told.device(), cells, generations);
    });
    return scor::finish("rule_110", options, (generations % 2 == 0 ? even : odd).host() == before);
}
