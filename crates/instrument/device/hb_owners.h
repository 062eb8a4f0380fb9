// Entries of shared memory where no load has to be checked: who stored to a granule last, and nothing else, in 32 bits.
#pragma once
#include "hb_locations.h"

// From the lowest bit on: the instruction, and 1 more; the thread in its block; and the lowest bits of the identity. 0 is nobody. These bits of the identity come again
// after so many intervals: until then the entries were cleared.
constexpr u32 OWNER_THREAD = 12, OWNER_INTERVAL = 22, OWNER_INTERVALS = 1u << (32 - OWNER_INTERVAL);

// The owner that a lane is, by its own entry without an instruction; the same in a whole interval. And by the entry of an access.
static __device__ __forceinline__ u32 owner_of_self(u64 self) {
    return identity_of(self) << OWNER_INTERVAL | ((u32)self >> LANE_PLACE) << OWNER_THREAD;
}

static __device__ __forceinline__ u32 owner_of(u64 me) { return owner_of_self(me) | (site_of(me) + 1); }

// Whether who stored before is another thread in the same interval, by a number that is less than the limit if so. Of several stores the least number says it.
constexpr u32 DISPUTED = (1u << OWNER_INTERVAL) - (1u << OWNER_THREAD);
static __device__ __forceinline__ u32 dispute(u32 before, u32 owner) { return (before ^ owner) - (1u << OWNER_THREAD); }

// The usual entry of who stored before, in the interval of `me`; 0 if that was nobody.
static __device__ __forceinline__ u64 writer_of(u32 before, u64 me) {
    if (before == 0 || (before ^ owner_of(me)) >= 1u << OWNER_INTERVAL) return 0;
    u32 thread = before >> OWNER_THREAD & ((1u << (OWNER_INTERVAL - OWNER_THREAD)) - 1), site = (before & ((1u << OWNER_THREAD) - 1)) - 1;
    return (u64)identity_of(me) << IDENTITY_PLACE | (u64)thread << LANE_PLACE | (u64)site << SITE_PLACE;
}

static __device__ __forceinline__ u32 exchange_owner(u32 place, u32 owner) {
    u32 before;
    asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(before) : "r"(place), "r"(owner) : "memory");
    return before;
}
