// Events for detectors on the host: every operation becomes a record in a queue.
#include "places.h"

// An access before it is made, with what it stores if the host is to know that.
template <bool HAS_VALUES> static __device__ __forceinline__ void weak(u32 place, u64 word, u32 mask) {
    Teller who = teller();
    u32 wrote = in_wrote() ? mask : 0;
    if (HAS_VALUES) {
        ws_tell_values(WS_TELLER_OF(who), mask, wrote, place, word, in_values(), in_value_0(), in_value_1(), in_value_2(), in_value_3());
    } else {
        tell(who, ACCESS, mask, wrote, place, 0, word);
    }
}

template <bool HAS_VALUES> static __device__ __forceinline__ void weak_generic() {
    u64 address = in_address();
    if (__isShared((const void *)address)) weak<HAS_VALUES>(SHARED_MEMORY, __cvta_generic_to_shared((const void *)address), __activemask());
    else if (__isGlobal((const void *)address)) weak<HAS_VALUES>(GLOBAL_MEMORY, address, __activemask());
}

// The same for kernels that reach into other blocks of their cluster.
template <bool HAS_VALUES> static __device__ __forceinline__ void weak_generic_in_cluster() {
    u64 address = in_address();
    if (is_in_cluster(address)) weak<HAS_VALUES>(CLUSTER_MEMORY, cluster_word(to_cluster(address)), __activemask());
    else if (__isGlobal((const void *)address)) weak<HAS_VALUES>(GLOBAL_MEMORY, address, __activemask());
}

extern "C" __device__ void ws_ship_global() { weak<false>(OF_SITE, in_address(), __activemask()); }
extern "C" __device__ void ws_ship_shared() { weak<false>(OF_SITE, in_address() & OFFSETS, __activemask()); }
extern "C" __device__ void ws_ship_cluster() { weak<false>(OF_SITE, cluster_word(in_address()), __activemask()); }
extern "C" __device__ void ws_ship_generic() { weak_generic<false>(); }
extern "C" __device__ void ws_ship_generic_in_cluster() { weak_generic_in_cluster<false>(); }
extern "C" __device__ void ws_ship_global_with_values() { weak<true>(OF_SITE, in_address(), __activemask()); }
extern "C" __device__ void ws_ship_shared_with_values() { weak<true>(OF_SITE, in_address() & OFFSETS, __activemask()); }
extern "C" __device__ void ws_ship_cluster_with_values() { weak<true>(OF_SITE, cluster_word(in_address()), __activemask()); }
extern "C" __device__ void ws_ship_generic_with_values() { weak_generic<true>(); }
extern "C" __device__ void ws_ship_generic_in_cluster_with_values() { weak_generic_in_cluster<true>(); }

// In the location of a strong operation: it is the same for all lanes.
constexpr u64 ONE_LOCATION = 1;

extern "C" __device__ __noinline__ Begun ws_begin_strong(WS_TELLER, WS_TURNS, u32 mask, u32 place, u64 word, u32 values) {
    Teller teller = WS_TELLER_HERE;
    u64 index = reserve(queue_of(teller), 2 + values, mask), location = (u64)turn_of(turns, turn_bits, key_of(teller, place, word));
    u64 of_leader = __shfl_sync(mask, location, __ffs(mask) - 1);
    return {index, location | (__all_sync(mask, of_leader == location) ? ONE_LOCATION : 0)};
}

extern "C" __device__ __noinline__ void ws_lock(u64 location) { lock(turn_in(location)); }

// Takes a turn at the location, which is locked.
extern "C" __device__ __noinline__ u32 ws_count(u64 location, u32 unlocks) {
    u32 turn = count(turn_in(location), 1);
    if (unlocks) unlock(turn_in(location));
    return turn;
}

extern "C" __device__ __noinline__ void ws_end_strong(WS_TELLER, u32 mask, u32 place, u64 word, u64 index, u32 turn, u32 wrote, WS_VALUES) {
    Teller teller = WS_TELLER_HERE;
    const Queue *queue = queue_of(teller);
    u32 all_wrote = __ballot_sync(mask, wrote);
    fill(queue, index, header_of(teller, ACCESS, 1 + values, mask, all_wrote, place, 0), mask, word);
    fill(queue, index + 1, header_of(teller, TURNS, 0, mask, 0, 0, 0), mask, turn);
    fill_values(teller, queue, index + 2, mask, WS_VALUES_HERE);
    commit(queue, index, 2 + values, mask);
}

// Lanes one after the other: each makes its operation under its location's lock, and counts its turn. Where all have
// one location its lock is held for all of them, so that others do not come in between.
static __device__ __forceinline__ void strong(u32 place, u64 word, u32 mask) {
    Teller who = teller();
    u32 values = in_values();
    Begun begun = ws_begin_strong(WS_TELLER_OF(who), WS_TURNS_OF_LAUNCH, mask, place, word, values);
    u32 turn = 0;
#pragma unroll 1
    for (u32 rest = mask; rest != 0; rest &= rest - 1) {
        if (own_lane() == __ffs(rest) - 1) {
            u32 is_last = (rest & (rest - 1)) == 0;
            if (!(begun.location & ONE_LOCATION) || rest == mask) ws_lock(begun.location);
            do_operation();
            turn = ws_count(begun.location, is_last | (u32)(~begun.location & ONE_LOCATION));
        }
        __syncwarp(mask);
    }
    ws_end_strong(WS_TELLER_OF(who), mask, place, word, begun.index, turn, in_wrote(), values, in_value_0(), in_value_1(), in_value_2(), in_value_3());
}

static __device__ __forceinline__ void strong_shared(u64 address) { strong(SHARED_MEMORY, address & OFFSETS, lanes_here()); }
static __device__ __forceinline__ void strong_cluster(u64 address) { strong(CLUSTER_MEMORY, cluster_word(address), lanes_here()); }
static __device__ __forceinline__ void strong_global(u64 address) { strong(GLOBAL_MEMORY, address, lanes_here()); }

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
extern "C" __device__ __noinline__ void ws_tell_block_barrier(WS_TELLER, u32 mask, u32 barrier, u32 expected) {
    Teller teller = WS_TELLER_HERE;
    const Queue *queue = queue_of(teller);
    u64 ticket = order ? enter((Order *)order, mask) : 0;
    u64 index = reserve(queue, 1, mask);
    fill(queue, index, header_of(teller, BLOCK_BARRIER_ARRIVE, 0, mask, 0, barrier, ticket), mask, 0);
    __syncwarp(mask);
    if (leads(mask)) *(volatile u64 *)(queue->slots + (index & (queue->capacity - 1)) * SLOT_BYTES + LANES_OFFSET) = expected;
    commit(queue, index, 1, mask);
    if (order) leave((Order *)order, mask);
}

extern "C" __device__ void ws_ship_block_barrier() {
    Teller who = teller();
    ws_tell_block_barrier(WS_TELLER_OF(who), lanes_here(), in_barrier(), in_expected());
}

// Lanes that execute one instruction may be at barriers of different parts of the warp: one part after the other.
extern "C" __device__ __noinline__ void ws_tell_warp_barrier(WS_TELLER, u32 all, u32 members) {
    Teller teller = WS_TELLER_HERE;
    u32 left = all;
#pragma unroll 1
    while (left != 0) {
        u32 of_first = __shfl_sync(all, members, __ffs(left) - 1);
        u32 mask = __ballot_sync(all, members == of_first);
        if (members == of_first) tell(teller, WARP_BARRIER_ARRIVE, mask, 0, members, 0, 0);
        __syncwarp(all);
        left &= ~mask;
    }
}

extern "C" __device__ void ws_ship_warp_barrier() {
    Teller who = teller();
    ws_tell_warp_barrier(WS_TELLER_OF(who), lanes_here(), in_mask());
}

extern "C" __device__ void ws_ship_fence() { plain(FENCE, 0, 0); }

extern "C" __device__ __noinline__ u64 ws_begin_fence(WS_TELLER, WS_TURNS, u32 mask) {
    Teller teller = WS_TELLER_HERE;
    u64 index = reserve(queue_of(teller), 2, mask);
    if (leads(mask)) lock(turn_of(turns, turn_bits, FENCE_KEY));
    __syncwarp(mask);
    return index;
}

extern "C" __device__ __noinline__ void ws_end_fence(WS_TELLER, WS_TURNS, u32 mask, u64 index) {
    Teller teller = WS_TELLER_HERE;
    const Queue *queue = queue_of(teller);
    __syncwarp(mask);
    u32 last = 0;
    if (leads(mask)) {
        Turn *location = turn_of(turns, turn_bits, FENCE_KEY);
        last = count(location, __popc(mask));
        unlock(location);
    }
    last = __shfl_sync(mask, last, __ffs(mask) - 1);
    u32 turn = last - __popc(mask >> own_lane()) + 1;
    fill(queue, index, header_of(teller, FENCE, 1, mask, 0, 0, 0), mask, 0);
    fill(queue, index + 1, header_of(teller, TURNS, 0, mask, 0, 0, 0), mask, turn);
    commit(queue, index, 2, mask);
}

// A fence whose place among others of its kind is wanted.
extern "C" __device__ void ws_ship_fence_sc() {
    u32 mask = lanes_here();
    Teller who = teller();
    u64 index = ws_begin_fence(WS_TELLER_OF(who), WS_TURNS_OF_LAUNCH, mask);
    do_operation();
    ws_end_fence(WS_TELLER_OF(who), WS_TURNS_OF_LAUNCH, mask, index);
}

extern "C" __device__ void ws_ship_proxy_fence() { plain(PROXY_FENCE, 0, 0); }
extern "C" __device__ void ws_ship_exit() { plain(EXIT, 0, 0); }
extern "C" __device__ void ws_ship_cluster_arrive() { plain(CLUSTER_ARRIVE, 0, 0); }
extern "C" __device__ void ws_ship_cluster_wait() { plain(CLUSTER_WAIT, 0, 0); }
extern "C" __device__ void ws_ship_prerequisite_wait() { plain(PREREQUISITE_WAIT, 0, 0); }
