// A product of matrices, with locks of two scopes. A block has a slice of the sum for one row of the result. Its warps add up
// their parts under a lock of block scope; the blocks of a row add up theirs under a lock of device scope.
//
// Race 1: the atomics of the row's lock have block scope. Race 2: the block's lock has no fences. Race 3: every second slice
// is added without the row's lock. Race 4: every block takes a lock of its own in place of the row's.
// In races 3 and 4 slices come in turn, so that what is missing is the lock and nothing else.
//@ races: 4
#include "../support/application.h"
#include "../support/locks.h"
#include "../support/turns.h"

using scor::Reach;

constexpr unsigned WARPS = 4;
constexpr unsigned SLICES = 4;

struct Shape {
    unsigned rows, inner, columns;
};

// The part of one element of the result that one warp computes, in its first lane.
__device__ unsigned part_of_warp(const unsigned* left, const unsigned* right, Shape shape, unsigned row, unsigned column) {
    const unsigned worker = (blockIdx.x % SLICES) * WARPS + threadIdx.x / 32;
    unsigned part = 0;
    for (unsigned at = worker * 32 + threadIdx.x % 32; at < shape.inner; at += SLICES * WARPS * 32) {
        part += left[row * shape.inner + at] * right[at * shape.columns + column];
    }
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        part += __shfl_down_sync(~0u, part, distance);
    }
    return part;
}

template <int RACE>
__global__ void multiply(const unsigned* left, const unsigned* right, volatile unsigned* slices, volatile unsigned* result,
                         unsigned* block_locks, unsigned* row_locks, unsigned* turns, Shape shape) {
    constexpr Reach BLOCK_FENCES = RACE == 2 ? Reach::none : Reach::block;
    constexpr Reach ROW_ATOMICS = RACE == 1 ? Reach::block : Reach::device;
    const unsigned row = blockIdx.x / SLICES;
    const unsigned slice = blockIdx.x % SLICES;
    volatile unsigned* sums = slices + blockIdx.x * shape.columns;
    for (unsigned column = 0; column < shape.columns; ++column) {
        const unsigned part = part_of_warp(left, right, shape, row, column);
        if (threadIdx.x % 32 == 0) {
            scor::under_lock<Reach::block, BLOCK_FENCES>(block_locks + blockIdx.x, [&] {
                const unsigned sum = sums[column];
                sums[column] = sum + part;  //~ [race 2] [scord] race: missing-fence (with line 46) by scord IV(a)  //~ [race 2] [iguard] race: missing-sync (with line 46) by iguard R3  //~ [race 2] [hb] race: volatile warning (with line 46) by hb "races in CUDA C++ but not in PTX"  //~ [race 2] [hb] race: missing-fence error (with line 46) by hb "volatile only where nothing else is wrong"  //~ [race 2] [hb] race: volatile warning (with itself) by hb "ordered before every access to the same address that follows the read in program order"
            });
        }
        __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x != 0) {
        return;
    }
    const auto add_slice = [&] {
        if constexpr (RACE == 4) {
            scor::wait_for(turns + row, slice);
        }
        for (unsigned column = 0; column < shape.columns; ++column) {
            volatile unsigned* element = result + row * shape.columns + column;
            const unsigned value = *element;
            *element = value + sums[column];  //~ [race 3, 4] [scord] race: lock (with line 62) by scord IV(e)  //~ [race 3, 4] [iguard] race: lock (with line 62) by iguard R5  //~ [race 3, 4] [iguard] race: lock (with itself) by iguard R5  //~ [race 1, 3] [hb] race: volatile warning (with line 62) by hb "races in CUDA C++ but not in PTX"  //~ [race 1, 3] [hb] race: volatile warning (with itself) by hb "ordered before every access to the same address that follows the read in program order"  //~ [race 1] [hb] race: scope error (with line 62) by hb "volatile only where nothing else is wrong"  //~ [race 3] [hb] race: missing-fence error (with line 62) by hb "volatile only where nothing else is wrong"  //~ [race 3, 4] [hb] race: lock error (with line 62) by hb "volatile only where nothing else is wrong"  //~ [race 3, 4] [hb] race: lock error (with itself) by hb "volatile only where nothing else is wrong"
        }
    };
    if constexpr (RACE == 3) {
        scor::wait_for(turns + row, slice);
    }
    if (RACE == 3 && slice % 2 == 1) {
        add_slice();
        __threadfence();
    } else if (RACE == 4) {
        scor::under_lock<ROW_ATOMICS, Reach::device>(row_locks + blockIdx.x, add_slice);
    } else {
        scor::under_lock<ROW_ATOMICS, Reach::device>(row_locks + row, add_slice);  //~ [race 1] [scord] race: scope (with itself) by scord IV(d)  //~ [race 1] [iguard] race: scope (with itself) by iguard R1  //~ [race 1] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
    }
    if constexpr (RACE == 3 || RACE == 4) {
        scor::tell(turns + row);
    }
}

int main(int count, char** words) {
    const scor::Options options = scor::read_options(count, words, 4);
    const Shape shape = options.size == scor::Size::paper ? Shape{800, 500, 30} : Shape{6, 600, 5};
    std::vector<unsigned> of_left(shape.rows * shape.inner), of_right(shape.inner * shape.columns);
    std::vector<unsigned> expected(shape.rows * shape.columns);
    scor::Numbers random(800);
    for (std::vector<unsigned>* matrix : {&of_left, &of_right}) {
        for (unsigned& number : *matrix) {
            number = random.below(100);
        }
    }
    for (unsigned row = 0; row < shape.rows; ++row) {
        for (unsigned at = 0; at < shape.inner; ++at) {
            for (unsigned column = 0; column < shape.columns; ++column) {
                expected[row * shape.columns + column] +=
                    of_left[row * shape.inner + at] * of_right[at * shape.columns + column];
            }
        }
    }
    const unsigned blocks = shape.rows * SLICES;
    scor::Buffer<unsigned> left(of_left), right(of_right), slices(blocks * shape.columns), result(expected.size());
    scor::Buffer<unsigned> block_locks(blocks), row_locks(blocks), turns(shape.rows);
    scor::with_race<4>(options.race, [&](auto race) {
        multiply<decltype(race)::value>
            <<<blocks, WARPS * 32>>>(left.device(), right.device(), slices.device(), result.device(), block_locks.device(),
                                     row_locks.device(), turns.device(), shape);
    });
    return scor::finish("matrix_multiplication", options, result.host() == expected);
}
