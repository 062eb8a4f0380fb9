// Where metadata lies, and what its bits mean.
#pragma once
#include "shadow_table.h"

// The metadata of 2 MiB has for each 4 bytes: 8 bytes of the last accessor (4 MiB in
// all), 8 bytes of the last writer, where that is another, 2 bytes for the accessor's instruction, 2 for the writer's, and 2
// for the writer's locks.
constexpr u64 CHUNK_WORDS = ((1ull << CHUNK_BITS) - 1) & ~3ull;
constexpr u64 WRITERS_OFFSET = 4ull << 20;
constexpr u64 SITES_OFFSET = 8ull << 20;
constexpr u64 WRITER_SITES_OFFSET = 1ull << 20;
constexpr u64 WRITER_LOCKS_OFFSET = 2ull << 20;

// Where the last accessor of 4 bytes is, or 0 where there is no metadata.
static __device__ __forceinline__ u64 entry_of(u64 address) {
    u64 chunk = chunk_of(context_shadow_table(), address);
    if (chunk == 0) return 0;
    return chunk + ((address & CHUNK_WORDS) << 1);
}

// Where the instruction of an entry's accessor is; that of its writer is `WRITER_SITES_OFFSET` further, and the writer's locks
// are `WRITER_LOCKS_OFFSET` further.
static __device__ __forceinline__ u64 site_of(u64 entry, u64 address) {
    u64 in_chunk = address & CHUNK_WORDS;
    return entry - (in_chunk << 1) + SITES_OFFSET + (in_chunk >> 1);
}

static __device__ __forceinline__ u32 read_half(u64 place) {
    u16 half;
    asm volatile("ld.relaxed.gpu.global.b16 %0, [%1];" : "=h"(half) : "l"(place) : "memory");
    return half;
}

static __device__ __forceinline__ void write_half(u64 place, u32 half) {
    asm volatile("st.global.b16 [%0], %1;" ::"l"(place), "h"((u16)half) : "memory");
}

// An accessor, from the lowest bit on: barriers of its warp and its block, fences of block and device scope, its lane
// and warp. Warps are counted over launches, so that an entry says which launch it is of; a lane knows itself by its
// warp in the grid.
constexpr u32 WARP_BARRIER = 0, BLOCK_BARRIER = 6, BLOCK_FENCE = 14, DEVICE_FENCE = 20;
constexpr u32 WARP_BITS = 28;
constexpr u64 ACCESSOR = (1ull << (WARP + WARP_BITS)) - 1;
constexpr u64 THREAD = ACCESSOR & ~((1ull << LANE) - 1);
constexpr u64 FENCES = ((1ull << LANE) - 1) & ~((1ull << BLOCK_FENCE) - 1);
constexpr u64 BLOCK_BARRIERS = 0xFFull << BLOCK_BARRIER;
constexpr u64 WARP_BARRIERS = 0x3Full;

// What the accessor did. A load remembers whether somebody wrote before: then that writer has an entry of its own. Whoever
// writes is the last writer itself, and the other entry means nothing.
constexpr u64 KIND_LOADED = 0ull << 59, KIND_LOADED_WRITTEN = 1ull << 59, KIND_STORED = 2ull << 59, KIND_ATOMIC = 3ull << 59,
                 KIND_BLOCK_ATOMIC = 4ull << 59;
constexpr u64 KIND = 7ull << 59;
constexpr u64 BLOCK_SHARED = 1ull << 62, DEVICE_SHARED = 1ull << 63;
constexpr u64 SHARED = BLOCK_SHARED | DEVICE_SHARED;

// Kernels with compare-and-swap keep the locks of the last accessor, too: half of the filter with the accessor and half with
// the writer, who has its own in their place. Their warps have the highest bit set and fewer others.
constexpr u32 LOCKS = 50;
constexpr u64 FILTER = 0xFFull << LOCKS;

static __device__ __forceinline__ u64 read_entry(u64 place) {
    u64 entry;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(entry) : "l"(place) : "memory");
    return entry;
}

// The same, before whatever is read next.
static __device__ __forceinline__ u64 read_entry_first(u64 place) {
    u64 entry;
    asm volatile("ld.acquire.gpu.global.b64 %0, [%1];" : "=l"(entry) : "l"(place) : "memory");
    return entry;
}

// Replaces an entry if it is still `expected`, which is then what was found. Whether it was.
static __device__ __forceinline__ bool replace_entry(u64 place, u64 &expected, u64 wanted) {
    u64 found;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(found)
                 : "l"(place), "l"(expected), "l"(wanted)
                 : "memory");
    bool replaced = found == expected;
    expected = found;
    return replaced;
}
