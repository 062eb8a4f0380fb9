// Checks in order (`ordered.h`) with metadata for 4 bytes and one accessor, and what is the same with any other.
#include "ordered.h"

struct OfWords {
    static __device__ __forceinline__ u64 find(u64 address) { return entry_of(address); }

    static __device__ __forceinline__ void check(u64 place, u64 address, u32 bytes, u64 self, u32 mask, u32 access) {
#pragma unroll 1
        for (u32 word = 0; word < (bytes + 3) / 4; word++)
            check_fully(place + word * 8, address + word * 4, self, mask, access);
    }
};

extern "C" __device__ void ws_ordered_access() { ordered_access<OfWords>(); }

extern "C" __device__ void ws_ordered_copy() { ordered_copy<OfWords>(); }

extern "C" __device__ void ws_ordered_shared_release() { release_in_shared(in_address() & OFFSETS); }

// A fence, or what counts as one; or what is told without being one.
extern "C" __device__ void ws_ordered_step() {
    u32 mask = lanes_here();
    Recorder who = recorder();
    u64 ticket = enter((Order *)who.order, mask);
    __syncwarp(mask);
    u32 release = in_release();
    if (release != 0) fence(release == 2, in_access() & WITH_LOCKS);
    __syncwarp(mask);
    record(who, in_kind(), mask, 0, in_extra(), ticket, in_address() & OFFSETS);
    leave((Order *)who.order, mask);
}
