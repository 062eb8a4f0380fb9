// iGUARD's checks of another granularity or with a history, as a template: `general.h` has the rules.
#include "general.h"

// What the access is (`Type` and its further bits), and how many bytes it has, which may be none.
WS_INPUT_32(access)
WS_INPUT_32(length)

static __device__ __forceinline__ void check_lanes(u64 address, u32 bytes, u32 mask) {
    u64 self = in_self();
    u32 access = in_access(), checking = mask, own = 1u << lane_of(self);
    // One lane checks for all that access the same bytes.
    if ((access & 3) != STORE && is_one_address(address + ((u64)bytes << 56), mask)) {
        checking = mask & (~mask + 1);
        if (own != checking) return;
    }
    Granules all = granules_of(chunk_of(context_shadow_table(), address), address, bytes);
#pragma unroll 1
    for (u64 granule = all.first; __any_sync(checking, granule < all.end); granule += all.bytes()) {
        // Lanes with the same granule take turns, since they would only wait for each other.
        bool is_there = granule < all.end;
        u32 same = __match_any_sync(checking, is_there ? granule : ~(u64)lane_of(self));
        u32 before = __popc(same & (own - 1));
#pragma unroll 1
        for (u32 turn = 0; __any_sync(checking, is_there && turn <= before); turn++) {
            if (is_there && turn == before) all.check(granule, self, mask, access);
            __syncwarp(checking);
        }
    }
}

extern "C" __device__ void ws_general_access() {
    u32 mask = lanes_here();
    if (is_lane()) {
        check_lanes(in_address(), in_length(), mask);
        __syncwarp(mask);
    }
}
