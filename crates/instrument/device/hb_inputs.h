// What a check of hb's entries gets from the place where it is expanded, beside what every check gets.
#pragma once
#include "hb_entries.h"

// How an access is made: bits of `hb_layout.h`, and its bytes above.
WS_INPUT_32(how)
// What it stores, and how many bytes of that are known.
WS_INPUT_64(value)
WS_INPUT_32(value_bytes)
// Bytes of shared memory that have entries of their own, as a power of two, and the bytes of these entries, likewise.
WS_INPUT_32(granule_shift)
WS_INPUT_32(entry_shift)
// Both, as `SharedPlaces` has them.
static __device__ __forceinline__ u32 in_shifts() { return in_granule_shift() | in_entry_shift() << 8; }

static __device__ __forceinline__ u64 own_entry() { return in_self() | (u64)in_site() << SITE_PLACE | (in_how() & BY_READ_ONLY_PATH ? READ_ONLY_PATH : 0); }

// Whether something is left to be done, or which lanes have that.
WS_INPUT_32(left)

static __device__ __forceinline__ void out_left(u32 left) { asm volatile("ws.out.b32 left, %0;" ::"r"(left) : "memory"); }

// Lanes of a warp do not always reconverge behind a function that only some of them have called. All that follows would be done several times.
static __device__ __forceinline__ void reconverge(u32 lanes) {
    if (lanes == ~0u) __syncwarp(~0u);
}
