// LD: what kernels on private copies and the kernels around them have in common.
#pragma once
#include "report.h"
#include "ld_layout.h"

// Bytes of two words that differ, each as eight bits.
static __device__ __forceinline__ u32 differing(u32 one, u32 other) { return __vcmpne4(one, other); }

static __device__ __forceinline__ u32 blended(u32 under, u32 over, u32 mask) { return under & ~mask | over & mask; }

// The copy of a unit: groups of a round are parted in the next.
static __device__ __forceinline__ u32 copy_of(const Grouping &grouping, u32 unit) {
    return (u32)((u64)unit * grouping.power / grouping.count % grouping.copies);
}

static __device__ __forceinline__ u32 own_block() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
static __device__ __forceinline__ u32 own_thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ u32 threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

static __device__ __forceinline__ u32 unit_of(u32 units, u32 block, u32 warp, u32 warps) {
    return units == BLOCK_UNITS ? block : block * warps + warp;
}

// What was found, by the number of its key: over the whole kernel, and in regions. Odd ones are of reads.
constexpr u32 WRITE_WRITE = 0, READ_WRITE = 1, REGION_WRITE_WRITE = 2, REGION_READ_WRITE = 3, KEYS = 4;

static __device__ __forceinline__ bool is_of_region(u32 which) { return which == REGION_WRITE_WRITE || which == REGION_READ_WRITE; }

// The finding that is logged and reported: results of blocks that differ come last, since races in regions explain them.
static __device__ __forceinline__ u32 first_key(const Head *head) {
    for (u32 which = 0; which < KEYS; which++)
        if (which != READ_WRITE && head->keys[which] != NOTHING) return which;
    return head->keys[READ_WRITE] != NOTHING ? READ_WRITE : KEYS;
}

static __device__ __forceinline__ bool is_stopped(const Head *head) { return *(const volatile u32 *)&head->stopped != 0; }

// Whoever changes a byte as the second one, or has other results, is remembered by the smallest key, so that runs agree.
static __device__ __forceinline__ void remember(Head *head, u32 which, u64 key) { atomicMin(&head->keys[which], key); }

static __device__ __forceinline__ void involve(Head *head, u32 copy) { atomicOr(&head->involved[copy / 32 % INVOLVED_WORDS], 1u << copy % 32); }

// Something was found in a pass over the whole kernel, by the key that it has.
extern "C" __device__ __noinline__ void ws_ld_found(u64 place, u32 which, u64 key, u64 power, u32 copies, u32 count, u32 units, u32 flags) {
    Head *head = (Head *)place;
    // Who finds the first in a launch says who had which copy. Keys of other rounds would name other copies.
    u64 first = atomicCAS(&head->logged.power, 0, power);
    if (first && first != power) return;
    if (!first) {
        head->logged.copies = copies;
        head->logged.count = count;
        head->logged.units = units;
    }
    remember(head, which, key);
    atomicAdd(&head->bytes[which], 1);
    involve(head, (u32)key & ((1u << COPY_BITS) - 1));
    // Warps of a block that race make results of the block differ, too: whether it was they, their regions show.
    if (!(flags & GOES_ON) && (which != READ_WRITE || units != BLOCK_UNITS)) *(volatile u32 *)&head->stopped = 1;
}

// A word that is none: the values of registers.
constexpr u32 REGISTERS = (1u << WORD_BITS) - 1;

static __device__ __forceinline__ u64 region_key(u32 block, u32 region, bool in_global, u32 word, u32 warp) {
    u32 most_regions = (1u << REGION_BITS) - 1;
    return (u64)block << (REGION_BITS + 1 + WORD_BITS + WARP_BITS) |
           (u64)(region < most_regions ? region : most_regions) << (1 + WORD_BITS + WARP_BITS) |
           (u64)in_global << (WORD_BITS + WARP_BITS) | (u64)(word & REGISTERS) << WARP_BITS | warp & ((1u << WARP_BITS) - 1);
}
