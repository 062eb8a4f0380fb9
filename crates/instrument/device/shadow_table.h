// The shadow table has two levels: 8 GiB of addresses to an entry of the first, 2 MiB to one of the second, which points to the metadata of
// its 2 MiB.
#pragma once
#include "metadata_layout.h"

constexpr u32 REGION_BITS = 33;

static __device__ __forceinline__ u64 read_global(u64 place) {
    u64 value;
    asm("ld.global.b64 %0, [%1];" : "=l"(value) : "l"(place));
    return value;
}

// Where the metadata of an address's 2 MiB is, or 0 where there is none.
static __device__ __forceinline__ u64 chunk_of(u64 table, u64 address) {
    u64 region = read_global(table + (address >> REGION_BITS) * 8);
    return region == 0 ? 0 : read_global(region + (address >> CHUNK_BITS & 4095) * 8);
}
