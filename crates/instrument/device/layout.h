// Where metadata lies, and what its bits mean.
#pragma once
#include "template.h"

// The shadow table has two levels: 8 GiB of addresses to an entry of the first, 2 MiB to one of the second.
// An entry of the second points to the metadata of its 2 MiB: 8 MiB of entries, then 2 MiB of sites.
static const u32 REGION_BITS = 33;
static const u32 CHUNK_BITS = 21;
static const u64 CHUNK_WORDS = ((1ull << CHUNK_BITS) - 1) & ~3ull;
static const u64 SITES_OFFSET = 8ull << 20;

static __device__ __forceinline__ u64 read_global(u64 place) {
    u64 value;
    asm("ld.global.b64 %0, [%1];" : "=l"(value) : "l"(place));
    return value;
}

// The metadata entry of 4 bytes, or 0 where there is none.
static __device__ __forceinline__ u64 entry_of(u64 address) {
    u64 region = read_global(context_shadow_table() + (address >> REGION_BITS) * 8);
    if (region == 0) return 0;
    u64 chunk = read_global(region + (address >> CHUNK_BITS & 4095) * 8);
    if (chunk == 0) return 0;
    return chunk + ((address & CHUNK_WORDS) << 2);
}

// Where the sites of an entry's writer (upper half) and accessor (lower half) are. Chunks are aligned so that
// an entry's place in its chunk can be told from its address.
static __device__ __forceinline__ u32 *sites_of(u64 entry, u64 address) {
    u64 in_chunk = address & CHUNK_WORDS;
    return (u32 *)(entry - (in_chunk << 2) + SITES_OFFSET + in_chunk);
}

// Notes an instruction as the last accessor, and as the last writer if it is one.
static __device__ __forceinline__ void write_site(u64 entry, u64 address, u32 site, bool is_load) {
    u32 *sites = sites_of(entry, address);
    if (is_load) asm volatile("{\n\t.reg .b16 half;\n\tcvt.u16.u32 half, %1;\n\tst.global.b16 [%0], half;\n\t}" ::"l"(sites), "r"(site) : "memory");
    else asm volatile("st.global.b32 [%0], %1;" ::"l"(sites), "r"(site << 16 | site) : "memory");
}

// An accessor, in 55 bits: warp barriers, block barriers, block fences, device fences, lane, warp.
static const u32 WARP_BARRIER = 0, BLOCK_BARRIER = 6, BLOCK_FENCE = 14, DEVICE_FENCE = 20, LANE = 26, WARP = 31;
static const u64 ACCESSOR = (1ull << 55) - 1;
static const u64 THREAD = ACCESSOR & ~((1ull << LANE) - 1);
static const u64 FENCES = ((1ull << LANE) - 1) & ~((1ull << BLOCK_FENCE) - 1);
static const u64 BLOCK_BARRIERS = 0xFFull << BLOCK_BARRIER;
static const u64 WARP_BARRIERS = 0x3Full;

// The upper word of an entry: the last accessor, flags, the lower four bits of the tag. The lower word: the
// last writer and the other nine bits of the tag.
static const u64 MODIFIED = 1ull << 55, ATOMIC = 1ull << 56, BLOCK_SCOPE = 1ull << 57, DEVICE_SHARED = 1ull << 58,
                 BLOCK_SHARED = 1ull << 59;
static const u64 FLAGS = 31ull << 55;

// Kernels with compare-and-swap keep the locks of the last accessor, too: in the upper eight bits of both
// warps, so that such a grid has at most 65536 warps.
static const u32 LOCKS = 47;
static const u32 NARROW_WARP_BITS = 16;

struct Entry {
    u64 low, high;
};

static __device__ __forceinline__ u64 tag_of_high(u32 tag) { return (u64)tag << 60; }
static __device__ __forceinline__ u64 tag_of_low(u32 tag) { return (u64)(tag >> 4) << 55; }

static __device__ __forceinline__ bool is_valid(Entry entry, u64 tag_high, u64 tag_low) {
    return ((entry.high ^ tag_high) >> 60 | (entry.low ^ tag_low) >> 55) == 0;
}

static __device__ __forceinline__ Entry read_entry(u64 place) {
    Entry entry;
    asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                 : "=l"(entry.low), "=l"(entry.high)
                 : "l"(place)
                 : "memory");
    return entry;
}

// Replaces an entry if it is still `expected`; what was there otherwise.
static __device__ __forceinline__ bool replace_entry(u64 place, Entry &expected, Entry wanted) {
    Entry found;
    asm volatile("{\n\t.reg .b128 expected, wanted, found;\n\t"
                 "mov.b128 expected, {%3, %4};\n\tmov.b128 wanted, {%5, %6};\n\t"
                 "atom.relaxed.gpu.global.cas.b128 found, [%2], expected, wanted;\n\t"
                 "mov.b128 {%0, %1}, found;\n\t}"
                 : "=l"(found.low), "=l"(found.high)
                 : "l"(place), "l"(expected.low), "l"(expected.high), "l"(wanted.low), "l"(wanted.high)
                 : "memory");
    bool replaced = found.low == expected.low && found.high == expected.high;
    expected = found;
    return replaced;
}
