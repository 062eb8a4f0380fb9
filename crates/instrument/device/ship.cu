// Events for detectors on the host: every operation becomes a record in a queue.
#include "queue.h"

// The words of the table of turns: a lock and a count each.
struct Turn {
    u32 lock;
    u32 count;
};

static __device__ __forceinline__ u32 location(bool is_shared, u32 block, u64 address, u32 bits) {
    u64 key = is_shared ? 1ull << 63 | (u64)block << 28 | (address & 0xFFFFFFFF) >> 4 : address >> 4;
    return (u32)(key * 0x9E3779B97F4A7C15ull >> (64 - bits));
}

static __device__ __forceinline__ void weak(u32 place, u64 address, u32 mask, u32 wrote) {
    tell(teller(), ACCESS, mask, __ballot_sync(mask, wrote), place, 0, address);
}

// Lanes one after the other: each makes its operation under its location's lock, and counts its turn.
static __device__ __forceinline__ void strong(u32 place, u64 address, u32 mask) {
    Teller who = teller();
    const Queue *queue = queue_of(who);
    u64 index = reserve(queue, 2, mask);
    Turn *word = (Turn *)context_turns() + location(place == SHARED_MEMORY, who.block, address, context_turn_bits());
    u32 turn = 0;
#pragma unroll 1
    for (u32 rest = mask; rest != 0; rest &= rest - 1) {
        if (own_lane() == __ffs(rest) - 1) {
            while (atomicCAS(&word->lock, 0u, 1u) != 0) __nanosleep(64);
            __threadfence();
            do_operation();
            turn = *(volatile u32 *)&word->count + 1;
            *(volatile u32 *)&word->count = turn;
            __threadfence();
            atomicExch(&word->lock, 0u);
        }
        __syncwarp(mask);
    }
    u32 wrote = __ballot_sync(mask, in_wrote());
    fill(queue, index, header_of(who, ACCESS, 1, mask, wrote, place, 0), mask, address);
    fill(queue, index + 1, header_of(who, TURNS, 0, mask, 0, 0, 0), mask, turn);
    commit(queue, index, 2, mask);
}

extern "C" __device__ void ws_ship_global() { weak(OF_SITE, in_address(), __activemask(), in_wrote()); }
extern "C" __device__ void ws_ship_shared() { weak(OF_SITE, in_address(), __activemask(), in_wrote()); }

extern "C" __device__ void ws_ship_generic() {
    u64 address = in_address();
    u32 wrote = in_wrote();
    if (__isShared((const void *)address)) weak(SHARED_MEMORY, __cvta_generic_to_shared((const void *)address), __activemask(), wrote);
    else if (__isGlobal((const void *)address)) weak(GLOBAL_MEMORY, address, __activemask(), wrote);
}

extern "C" __device__ void ws_ship_strong_global() { strong(GLOBAL_MEMORY, in_address(), __activemask()); }
extern "C" __device__ void ws_ship_strong_shared() { strong(SHARED_MEMORY, in_address(), __activemask()); }

extern "C" __device__ void ws_ship_strong_generic() {
    u64 address = in_address();
    if (__isShared((const void *)address)) strong(SHARED_MEMORY, __cvta_generic_to_shared((const void *)address), __activemask());
    else if (__isGlobal((const void *)address)) strong(GLOBAL_MEMORY, address, __activemask());
    else do_operation();
}

static __device__ __forceinline__ void plain(u32 kind, u32 extra, u64 word) { tell(teller(), kind, __activemask(), 0, extra, 0, word); }

// The threads that are expected stand in the word of lane 0, whatever the mask.
extern "C" __device__ void ws_ship_block_barrier() {
    u32 mask = __activemask();
    Teller who = teller();
    const Queue *queue = queue_of(who);
    u64 ticket = who.order ? enter((Order *)who.order, mask) : 0;
    u64 index = reserve(queue, 1, mask);
    u32 barrier = in_barrier(), expected = in_expected();
    fill(queue, index, header_of(who, BLOCK_BARRIER_ARRIVE, 0, mask, 0, barrier, ticket), mask, 0);
    __syncwarp(mask);
    if (leads(mask)) *(volatile u64 *)(queue->slots + (index & (queue->capacity - 1)) * SLOT_BYTES + 32) = expected;
    commit(queue, index, 1, mask);
    if (who.order) leave((Order *)who.order, mask);
}

extern "C" __device__ void ws_ship_warp_barrier() { plain(WARP_BARRIER_ARRIVE, in_mask(), 0); }
extern "C" __device__ void ws_ship_fence() { plain(FENCE, 0, 0); }
extern "C" __device__ void ws_ship_proxy_fence() { plain(PROXY_FENCE, 0, 0); }
extern "C" __device__ void ws_ship_exit() { plain(EXIT, 0, 0); }
extern "C" __device__ void ws_ship_prerequisite_wait() { plain(PREREQUISITE_WAIT, 0, 0); }
// A copy from global to shared memory begins. Lanes that read different amounts are different operations.
extern "C" __device__ void ws_ship_copy() {
    u32 bytes = in_bytes(), source_bytes = in_source_bytes();
    u32 mask = __match_any_sync(__activemask(), source_bytes);
    u64 to = in_address(), from = in_source();
    Teller who = teller();
    const Queue *queue = queue_of(who);
    u64 index = reserve(queue, 2, mask);
    fill(queue, index, header_of(who, COPY_BEGIN, 1, mask, bytes, SHARED_MEMORY, 0), mask, to);
    fill(queue, index + 1, header_of(who, COPY_SOURCE, 0, mask, source_bytes, GLOBAL_MEMORY, 0), mask, from);
    commit(queue, index, 2, mask);
}

extern "C" __device__ void ws_ship_copy_commit() { plain(COPY_COMMIT, 0, 0); }
extern "C" __device__ void ws_ship_copy_wait() { plain(COPY_WAIT, in_expected(), 0); }
