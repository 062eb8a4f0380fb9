// iGUARD's checks, one operation of the device after the other, each told to the host with its turn: so that the host's
// module can be asked about the very same accesses in the same order.
#include "iguard.h"
#include "queue.h"

// What the access is (`Type` and its further bits), how many words it has, whether it takes (1) or gives back (2) a
// lock, and whether it releases, to its block (1) or to the device (2).
WS_INPUT_32(access)
WS_INPUT_32(words)
WS_INPUT_32(role)
WS_INPUT_32(release)

extern "C" __device__ void ws_ordered_access() {
    u64 address = in_address();
    u64 place = entry_of(address);
    if (place == 0) {
        do_operation();
        return;
    }
    u32 mask = __activemask(), access = in_access(), words = in_words(), role = in_role(), release = in_release();
    Teller who = teller();
    Order *order = (Order *)who.order;
    u64 ticket = enter(order, mask);
    __syncwarp(mask);
    if (release != 0) {
        fence(release == 2, access & WITH_LOCKS);
        __syncwarp(mask);
    }
    u64 self = in_self();
    u32 checking = mask;
    if ((access & 3) != STORE && !(context_options() & NO_COALESCING)) {
        u64 of_leader = __shfl_sync(mask, address, __ffs(mask) - 1);
        if (__all_sync(mask, of_leader == address)) checking = mask & (~mask + 1);
    }
#pragma unroll 1
    for (u32 rest = checking; rest != 0; rest &= rest - 1) {
        if (own_lane() == __ffs(rest) - 1) {
#pragma unroll 1
            for (u32 word = 0; word < words; word++)
                check_fully(place + word * 8, address + word * 4, self, mask, access);
        }
        __syncwarp(mask);
    }
    do_operation();
    if (role != 0) lock_or_unlock(role == 1, access & SCOPE_IS_BLOCK, mask);
    __syncwarp(mask);
    tell(who, ACCESS, mask, __ballot_sync(mask, in_wrote()), GLOBAL_MEMORY, ticket, address);
    leave(order, mask);
}

extern "C" __device__ void ws_ordered_fence() {
    u32 mask = __activemask();
    Teller who = teller();
    u64 ticket = enter((Order *)who.order, mask);
    __syncwarp(mask);
    fence(in_release() == 2, in_access() & WITH_LOCKS);
    __syncwarp(mask);
    tell(who, FENCE, mask, 0, 0, ticket, 0);
    leave((Order *)who.order, mask);
}
