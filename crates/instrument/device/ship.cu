// Events for detectors on the host: every operation becomes a record in a queue.
#include "places.h"

static __device__ __forceinline__ void weak(u32 place, u64 word, u32 mask) {
    Teller who = teller();
    u32 wrote = __ballot_sync(mask, in_wrote()), values = in_values();
    if (values == 0) tell(who, ACCESS, mask, wrote, place, 0, word);
    else
        ws_tell_values(who.queues, who.queue_count, who.block, who.warp, who.site, mask, wrote, place, word, values, in_value_0(),
                       in_value_1(), in_value_2(), in_value_3());
}

// Lanes one after the other: each makes its operation under its location's lock, and counts its turn. Where all have
// one location its lock is held for all of them, so that others do not come in between.
static __device__ __forceinline__ void strong(u32 place, u64 word, u64 key, u32 mask) {
    Teller who = teller();
    const Queue *queue = queue_of(who);
    u32 values = in_values();
    u64 index = reserve(queue, 2 + values, mask);
    Turn *location = turn_of(key);
    u64 of_leader = __shfl_sync(mask, (u64)location, __ffs(mask) - 1);
    bool one_location = __all_sync(mask, of_leader == (u64)location);
    u32 turn = 0;
#pragma unroll 1
    for (u32 rest = mask; rest != 0; rest &= rest - 1) {
        if (own_lane() == __ffs(rest) - 1) {
            if (!one_location || rest == mask) lock(location);
            do_operation();
            turn = count(location, 1);
            if (!one_location || (rest & (rest - 1)) == 0) unlock(location);
        }
        __syncwarp(mask);
    }
    u32 wrote = __ballot_sync(mask, in_wrote());
    fill(queue, index, header_of(who, ACCESS, 1 + values, mask, wrote, place, 0), mask, word);
    fill(queue, index + 1, header_of(who, TURNS, 0, mask, 0, 0, 0), mask, turn);
    Header part = header_of(who, VALUES, 0, mask, 0, 0, 0);
    if (values > 0) fill(queue, index + 2, part, mask, in_value_0());
    if (values > 1) fill(queue, index + 3, part, mask, in_value_1());
    if (values > 2) fill(queue, index + 4, part, mask, in_value_2());
    if (values > 3) fill(queue, index + 5, part, mask, in_value_3());
    commit(queue, index, 2 + values, mask);
}

static __device__ __forceinline__ void strong_shared(u64 address) {
    u64 offset = address & OFFSETS;
    strong(SHARED_MEMORY, offset, shared_key(teller().block, offset), lanes_here());
}

static __device__ __forceinline__ void strong_cluster(u64 address) {
    u64 word = cluster_word(address);
    strong(CLUSTER_MEMORY, word, shared_key((u32)(word >> 32), word), lanes_here());
}

static __device__ __forceinline__ void strong_global(u64 address) { strong(GLOBAL_MEMORY, address, global_key(address), lanes_here()); }

extern "C" __device__ void ws_ship_global() { weak(OF_SITE, in_address(), __activemask()); }
extern "C" __device__ void ws_ship_shared() { weak(OF_SITE, in_address() & OFFSETS, __activemask()); }
extern "C" __device__ void ws_ship_cluster() { weak(OF_SITE, cluster_word(in_address()), __activemask()); }

extern "C" __device__ void ws_ship_generic() {
    u64 address = in_address();
    if (__isShared((const void *)address)) weak(SHARED_MEMORY, __cvta_generic_to_shared((const void *)address), __activemask());
    else if (__isGlobal((const void *)address)) weak(GLOBAL_MEMORY, address, __activemask());
}

// The same for kernels that reach into other blocks of their cluster.
extern "C" __device__ void ws_ship_generic_in_cluster() {
    u64 address = in_address();
    if (is_in_cluster(address)) weak(CLUSTER_MEMORY, cluster_word(to_cluster(address)), __activemask());
    else if (__isGlobal((const void *)address)) weak(GLOBAL_MEMORY, address, __activemask());
}

extern "C" __device__ void ws_ship_strong_global() { strong_global(in_address()); }
extern "C" __device__ void ws_ship_strong_shared() { strong_shared(in_address()); }
extern "C" __device__ void ws_ship_strong_cluster() { strong_cluster(in_address()); }

extern "C" __device__ void ws_ship_strong_generic() {
    u64 address = in_address();
    if (__isShared((const void *)address)) strong_shared(__cvta_generic_to_shared((const void *)address));
    else if (__isGlobal((const void *)address)) strong_global(address);
    else do_operation();
}

extern "C" __device__ void ws_ship_strong_generic_in_cluster() {
    u64 address = in_address();
    if (is_in_cluster(address)) strong_cluster(to_cluster(address));
    else if (__isGlobal((const void *)address)) strong_global(address);
    else do_operation();
}

static __device__ __forceinline__ void plain(u32 kind, u32 extra, u64 word) { tell(teller(), kind, __activemask(), 0, extra, 0, word); }

// The threads that are expected stand in the word of lane 0, whatever the mask.
static __device__ __forceinline__ void block_barrier(u32 barrier, u32 expected, u32 mask) {
    Teller who = teller();
    const Queue *queue = queue_of(who);
    u64 ticket = who.order ? enter((Order *)who.order, mask) : 0;
    u64 index = reserve(queue, 1, mask);
    fill(queue, index, header_of(who, BLOCK_BARRIER_ARRIVE, 0, mask, 0, barrier, ticket), mask, 0);
    __syncwarp(mask);
    if (leads(mask)) *(volatile u64 *)(queue->slots + (index & (queue->capacity - 1)) * SLOT_BYTES + 32) = expected;
    commit(queue, index, 1, mask);
    if (who.order) leave((Order *)who.order, mask);
}

extern "C" __device__ void ws_ship_block_barrier() { block_barrier(in_barrier(), in_expected(), lanes_here()); }

// Lanes that execute one instruction may be at barriers of different parts of the warp: one part after the other.
extern "C" __device__ void ws_ship_warp_barrier() {
    u32 all = lanes_here(), members = in_mask();
    u32 left = all;
#pragma unroll 1
    while (left != 0) {
        u32 of_first = __shfl_sync(all, members, __ffs(left) - 1);
        u32 mask = __ballot_sync(all, members == of_first);
        if (members == of_first) tell(teller(), WARP_BARRIER_ARRIVE, mask, 0, members, 0, 0);
        __syncwarp(all);
        left &= ~mask;
    }
}

extern "C" __device__ void ws_ship_fence() { plain(FENCE, 0, 0); }

// A fence whose place among others of its kind is wanted.
extern "C" __device__ void ws_ship_fence_sc() {
    u32 mask = lanes_here();
    Teller who = teller();
    const Queue *queue = queue_of(who);
    u64 index = reserve(queue, 2, mask);
    Turn *location = turn_of(FENCE_KEY);
    if (leads(mask)) lock(location);
    __syncwarp(mask);
    do_operation();
    __syncwarp(mask);
    u32 last = 0;
    if (leads(mask)) {
        last = count(location, __popc(mask));
        unlock(location);
    }
    last = __shfl_sync(mask, last, __ffs(mask) - 1);
    u32 turn = last - __popc(mask >> own_lane()) + 1;
    fill(queue, index, header_of(who, FENCE, 1, mask, 0, 0, 0), mask, 0);
    fill(queue, index + 1, header_of(who, TURNS, 0, mask, 0, 0, 0), mask, turn);
    commit(queue, index, 2, mask);
}

extern "C" __device__ void ws_ship_proxy_fence() { plain(PROXY_FENCE, 0, 0); }
extern "C" __device__ void ws_ship_exit() { plain(EXIT, 0, 0); }
extern "C" __device__ void ws_ship_cluster_arrive() { plain(CLUSTER_ARRIVE, 0, 0); }
extern "C" __device__ void ws_ship_cluster_wait() { plain(CLUSTER_WAIT, 0, 0); }
extern "C" __device__ void ws_ship_prerequisite_wait() { plain(PREREQUISITE_WAIT, 0, 0); }
