// Work that is divided among blocks, and taken from others by whoever has none left (figures 2 and 3 of the ScoRD paper).
#pragma once
#include "application.h"
#include "locks.h"

namespace scor {

// What all lanes of a warp have together, by shuffles, which every architecture has.
template <typename Join>
__device__ __forceinline__ unsigned of_warp(unsigned value, Join join) {
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        value = join(value, __shfl_xor_sync(~0u, value, distance));
    }
    return value;
}

__device__ __forceinline__ unsigned sum_of_warp(unsigned value) {
    return of_warp(value, [](unsigned one, unsigned other) { return one + other; });
}

__device__ __forceinline__ unsigned greatest_of_warp(unsigned value) {
    return of_warp(value, [](unsigned one, unsigned other) { return max(one, other); });
}

// No work is left anywhere; and no work was given out yet.
constexpr unsigned NO_SHARE = ~0u;
constexpr unsigned NOT_YET = ~0u - 1;

// The partitions, one for each block. A share is as many items as a block has threads.
struct Partitions {
    // The first item that nobody has taken.
    unsigned* next;
    // The end, which is a multiple of a share like the beginning.
    const unsigned* end;
    // How often others tried to take a share.
    unsigned* tries;
    // The share that a block works on, which its first thread writes for the others.
    unsigned* current;
};

// The next share of the block's own partition.
template <Reach REACH>
__device__ __forceinline__ unsigned own_share(const Partitions& work) {
    unsigned* next = work.next + blockIdx.x;
    const unsigned first = REACH == Reach::block ? atomicAdd_block(next, blockDim.x) : atomicAdd(next, blockDim.x);
    return first < work.end[blockIdx.x] ? first : NO_SHARE;
}

// A share of another partition. `distance` is how far the victim is, and grows when its partition has nothing left.
template <Reach REACH>
__device__ __forceinline__ unsigned stolen_share(const Partitions& work, unsigned& distance) {
    for (; distance < gridDim.x; ++distance) {
        const unsigned victim = (blockIdx.x + distance) % gridDim.x;
        unsigned* next = work.next + victim;
        const unsigned first = REACH == Reach::block ? atomicAdd_block(next, blockDim.x) : atomicAdd(next, blockDim.x);
        atomicAdd(work.tries + victim, 1u);
        if (first < work.end[victim]) {
            return first;
        }
    }
    return NO_SHARE;
}

// The partitions of a number of items, on the host: equal ones, except that the last block has none and has to steal.
class WorkOfBlocks {
public:
    WorkOfBlocks(unsigned items, unsigned blocks, unsigned threads)
        : begins_(begins(items, blocks, threads)), next_(blocks), end_(ends(items, blocks, threads)), tries_(blocks),
          current_(blocks) {
        begin_again();
    }

    void begin_again() {
        const std::size_t bytes = begins_.size() * sizeof(unsigned);
        const std::vector<unsigned> nothing(begins_.size(), NOT_YET);
        check(cudaMemcpy(next_.device(), begins_.data(), bytes, cudaMemcpyHostToDevice));
        check(cudaMemcpy(current_.device(), nothing.data(), bytes, cudaMemcpyHostToDevice));
        tries_.clear();
    }

    Partitions device() const {
        return Partitions{next_.device(), end_.device(), tries_.device(), current_.device()};
    }

private:
    static unsigned length(unsigned items, unsigned blocks, unsigned threads) {
        const unsigned shares = (items + threads - 1) / threads;
        return (shares + blocks - 2) / (blocks - 1) * threads;
    }
    static std::vector<unsigned> begins(unsigned items, unsigned blocks, unsigned threads) {
        std::vector<unsigned> all(blocks);
        for (unsigned block = 0; block < blocks; ++block) {
            all[block] = block * length(items, blocks, threads);
        }
        return all;
    }
    static std::vector<unsigned> ends(unsigned items, unsigned blocks, unsigned threads) {
        std::vector<unsigned> all = begins(items, blocks, threads);
        for (unsigned block = 0; block + 1 < blocks; ++block) {
            all[block] = all[block + 1];
        }
        return all;
    }

    std::vector<unsigned> begins_;
    Buffer<unsigned> next_, end_, tries_, current_;
};

}  // namespace scor
