// iGUARD's checks, one operation of the device after the other, each told to the host with its turn: so that the host's
// module can be asked about the very same accesses in the same order.
#pragma once
#include "iguard.h"
#include "places.h"

// What the access is (`Type` and its further bits), how many bytes it has, whether it takes (1) or gives back (2) a
// lock, and whether it releases, to its block (1) or to the device (2).
WS_INPUT_32(access)
WS_INPUT_32(length)
WS_INPUT_32(role)
WS_INPUT_32(release)
// What is told of something that is no access, and more about it.
WS_INPUT_32(kind)
WS_INPUT_32(extra)

// Checks all that each lane accesses which has to, one lane after the other. `Metadata` says where its
// metadata is, if there is any, and how it is checked.
template <typename Metadata>
static __device__ __forceinline__ void check_all(u64 place, u64 address, u32 bytes, u32 mask, u32 access) {
    u64 self = in_self();
    u32 checking = mask;
    if ((access & 3) != STORE && !(context_options() & NO_COALESCING)) {
        u64 of_leader = __shfl_sync(mask, address, __ffs(mask) - 1);
        if (__all_sync(mask, of_leader == address)) checking = mask & (~mask + 1);
    }
#pragma unroll 1
    for (u32 rest = checking; rest != 0; rest &= rest - 1) {
        if (own_lane() == __ffs(rest) - 1) Metadata::check(place, address, bytes, self, mask, access);
        __syncwarp(mask);
    }
}

// What releases in shared memory is a fence, and its access is not checked.
static __device__ __forceinline__ void release_in_shared(u64 offset) {
    u32 mask = lanes_here();
    Recorder who = recorder();
    u64 ticket = enter((Order *)who.order, mask);
    __syncwarp(mask);
    fence(in_release() == 2, in_access() & WITH_LOCKS);
    do_operation();
    __syncwarp(mask);
    record(who, ACCESS, mask, __ballot_sync(mask, in_wrote()), SHARED_MEMORY, ticket, offset);
    leave((Order *)who.order, mask);
}

template <typename Metadata> static __device__ __forceinline__ void ordered_access() {
    u64 address = in_address();
    u64 place = Metadata::find(address);
    if (place == 0) {
        bool is_shared = __isShared((const void *)address);
        if (in_release() != 0 && is_shared) release_in_shared(__cvta_generic_to_shared((const void *)address));
        else do_operation();
        return;
    }
    u32 mask = lanes_here(), access = in_access(), role = in_role(), release = in_release();
    Recorder who = recorder();
    Order *order = (Order *)who.order;
    u64 ticket = enter(order, mask);
    __syncwarp(mask);
    if (release != 0) {
        fence(release == 2, access & WITH_LOCKS);
        __syncwarp(mask);
    }
    check_all<Metadata>(place, address, in_length(), mask, access);
    do_operation();
    if (role != 0) lock_or_unlock(role == 1, access & SCOPE_IS_BLOCK, mask);
    __syncwarp(mask);
    record(who, ACCESS, mask, __ballot_sync(mask, in_wrote()), GLOBAL_MEMORY, ticket, address);
    leave(order, mask);
}

// A copy of a thread reads its source when it begins. Lanes that read different amounts are different operations.
template <typename Metadata> static __device__ __forceinline__ void ordered_copy() {
    u32 bytes = in_bytes(), source_bytes = in_source_bytes();
    if (source_bytes > bytes) source_bytes = bytes;
    u64 address = in_source();
    u64 place = source_bytes ? Metadata::find(address) : 0;
    if (place == 0) return;
    u32 all = lanes_here();
    Recorder who = recorder();
    const Queue *queue = queue_of(who);
    u32 left = all;
#pragma unroll 1
    while (left != 0) {
        u32 of_first = __shfl_sync(all, source_bytes, __ffs(left) - 1);
        u32 mask = __ballot_sync(all, source_bytes == of_first);
        if (source_bytes == of_first) {
            u64 ticket = enter((Order *)who.order, mask);
            __syncwarp(mask);
            check_all<Metadata>(place, address, source_bytes, mask, LOAD | (in_access() & WITH_LOCKS));
            u64 index = reserve(queue, 2, mask);
            fill(queue, index, header_of(who, COPY_BEGIN, 1, mask, bytes, SHARED_MEMORY, ticket), mask, in_address() & OFFSETS);
            fill(queue, index + 1, header_of(who, COPY_SOURCE, 0, mask, source_bytes, GLOBAL_MEMORY, ticket), mask, address);
            commit(queue, index, 2, mask);
            leave((Order *)who.order, mask);
        }
        __syncwarp(all);
        left &= ~mask;
    }
}
