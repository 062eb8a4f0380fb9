// Events for detectors on the host: every operation becomes a record in a queue.
#include "places.h"

// What an access is, in one word: in which memory, and whether it writes.
constexpr u32 DOES_WRITE = 1, ITS_PLACE = 1;

// A record of an access. There is one of nearly every instruction, so that it has few parameters.
#define WS_ACCESS u64 queues, u64 self, u32 queue_count, u32 first_warp, u32 warps_per_block, u32 site, u32 what, u32 mask, u64 word
#define WS_ACCESS_OF(who, what, mask, word) who.queues, who.self, who.queue_count, who.first_warp, who.warps_per_block, who.site, what, mask, word

static __device__ __forceinline__ void record_access(WS_ACCESS, const Values &values) {
    Recorder recorder = {queues, 0, self, queue_count, first_warp, warps_per_block, site};
    const Queue *queue = queue_of(recorder);
    u64 index = reserve(queue, 1 + values.count, mask);
    fill(queue, index, header_of(recorder, ACCESS, values.count, mask, what & DOES_WRITE ? mask : 0, what >> ITS_PLACE, 0), mask, word);
    fill_values(recorder, queue, index + 1, mask, values);
    commit(queue, index, 1 + values.count, mask);
}

extern "C" __device__ __noinline__ void ws_record_access(WS_ACCESS) {
    record_access(queues, self, queue_count, first_warp, warps_per_block, site, what, mask, word, {0, 0, 0, 0, 0});
}

extern "C" __device__ __noinline__ void ws_record_store(WS_ACCESS, u64 value) {
    record_access(queues, self, queue_count, first_warp, warps_per_block, site, what, mask, word, {1, value, 0, 0, 0});
}

extern "C" __device__ __noinline__ void ws_record_stores(WS_ACCESS, WS_VALUES) {
    record_access(queues, self, queue_count, first_warp, warps_per_block, site, what, mask, word, WS_VALUES_HERE);
}

// How many words a lane stores, as far as the host is to know them.
enum Stores { NO_VALUES, ONE_VALUE, SEVERAL_VALUES };

// An access before it is made.
template <Stores STORES> static __device__ __forceinline__ void weak(u32 place, u64 word, u32 mask) {
    Recorder who = recorder();
    u32 what = place << ITS_PLACE | (in_wrote() ? DOES_WRITE : 0);
    if (STORES == NO_VALUES) ws_record_access(WS_ACCESS_OF(who, what, mask, word));
    if (STORES == ONE_VALUE) ws_record_store(WS_ACCESS_OF(who, what, mask, word), in_value_0());
    if (STORES == SEVERAL_VALUES)
        ws_record_stores(WS_ACCESS_OF(who, what, mask, word), in_values(), in_value_0(), in_value_1(), in_value_2(), in_value_3());
}

template <Stores STORES> static __device__ __forceinline__ void weak_generic() {
    u64 address = in_address();
    if (__isShared((const void *)address)) weak<STORES>(SHARED_MEMORY, __cvta_generic_to_shared((const void *)address), __activemask());
    else if (__isGlobal((const void *)address)) weak<STORES>(GLOBAL_MEMORY, address, __activemask());
}

// The same for kernels that reach into other blocks of their cluster.
template <Stores STORES> static __device__ __forceinline__ void weak_generic_in_cluster() {
    u64 address = in_address();
    if (is_in_cluster(address)) weak<STORES>(CLUSTER_MEMORY, cluster_word(to_cluster(address)), __activemask());
    else if (__isGlobal((const void *)address)) weak<STORES>(GLOBAL_MEMORY, address, __activemask());
}

#define WS_SHIP(name, stores)                                                                                                                                  \
    extern "C" __device__ void ws_ship_global##name() { weak<stores>(OF_SITE, in_address(), __activemask()); }                                                 \
    extern "C" __device__ void ws_ship_shared##name() { weak<stores>(OF_SITE, in_address() & OFFSETS, __activemask()); }                                       \
    extern "C" __device__ void ws_ship_cluster##name() { weak<stores>(OF_SITE, cluster_word(in_address()), __activemask()); }                                  \
    extern "C" __device__ void ws_ship_generic##name() { weak_generic<stores>(); }                                                                             \
    extern "C" __device__ void ws_ship_generic_in_cluster##name() { weak_generic_in_cluster<stores>(); }
WS_SHIP(, NO_VALUES)
WS_SHIP(_with_value, ONE_VALUE)
WS_SHIP(_with_values, SEVERAL_VALUES)

// In the location of a strong operation: it is the same for all lanes.
constexpr u64 ONE_LOCATION = 1;

extern "C" __device__ __noinline__ Begun ws_begin_strong(WS_RECORDER, WS_TURNS, u32 mask, u32 place, u64 word, u32 values) {
    Recorder recorder = WS_RECORDER_HERE;
    u64 index = reserve(queue_of(recorder), 2 + values, mask), location = (u64)turn_of(turns, turn_bits, key_of(recorder, place, word));
    u64 of_leader = __shfl_sync(mask, location, __ffs(mask) - 1);
    return {index, location | (__all_sync(mask, of_leader == location) ? ONE_LOCATION : 0)};
}

// Before the operation of the first lane that is left. Where all have one location, it is locked once.
extern "C" __device__ __noinline__ void ws_lock(u64 location, u32 mask, u32 left) {
    if (!(location & ONE_LOCATION) || left == mask) lock(turn_in(location));
}

// Behind it: takes a turn at the location.
extern "C" __device__ __noinline__ u32 ws_count(u64 location, u32 left) {
    u32 turn = count(turn_in(location), 1);
    if (!(location & ONE_LOCATION) || (left & (left - 1)) == 0) unlock(turn_in(location));
    return turn;
}

static __device__ __forceinline__ void end_strong(const Recorder &recorder, u32 mask, u32 place, u64 word, u64 index, u32 turn, u32 wrote, const Values &values) {
    const Queue *queue = queue_of(recorder);
    u32 all_wrote = __ballot_sync(mask, wrote);
    fill(queue, index, header_of(recorder, ACCESS, 1 + values.count, mask, all_wrote, place, 0), mask, word);
    fill(queue, index + 1, header_of(recorder, TURNS, 0, mask, 0, 0, 0), mask, turn);
    fill_values(recorder, queue, index + 2, mask, values);
    commit(queue, index, 2 + values.count, mask);
}

extern "C" __device__ __noinline__ void ws_end_strong(WS_RECORDER, u32 mask, u32 place, u64 word, u64 index, u32 turn, u32 wrote) {
    end_strong(WS_RECORDER_HERE, mask, place, word, index, turn, wrote, {0, 0, 0, 0, 0});
}

extern "C" __device__ __noinline__ void ws_end_strong_stores(WS_RECORDER, u32 mask, u32 place, u64 word, u64 index, u32 turn, WS_VALUES) {
    end_strong(WS_RECORDER_HERE, mask, place, word, index, turn, true, WS_VALUES_HERE);
}

// Lanes one after the other: each makes its operation under its location's lock, and counts its turn. Where all have
// one location its lock is held for all of them, so that others do not come in between.
template <bool STORES> static __device__ __forceinline__ void strong(u32 place, u64 word, u32 mask) {
    Recorder who = recorder();
    u32 values = STORES ? in_values() : 0;
    Begun begun = ws_begin_strong(WS_RECORDER_OF(who), WS_TURNS_OF_LAUNCH, mask, place, word, values);
    u32 turn = 0;
#pragma unroll 1
    for (u32 rest = mask; rest != 0; rest &= rest - 1) {
        if (own_lane() == __ffs(rest) - 1) {
            ws_lock(begun.location, mask, rest);
            do_operation();
            turn = ws_count(begun.location, rest);
        }
        __syncwarp(mask);
    }
    if (STORES) {
        ws_end_strong_stores(WS_RECORDER_OF(who), mask, place, word, begun.index, turn, values, in_value_0(), in_value_1(), in_value_2(), in_value_3());
    } else {
        ws_end_strong(WS_RECORDER_OF(who), mask, place, word, begun.index, turn, in_wrote());
    }
}

template <bool STORES> static __device__ __forceinline__ void strong_shared(u64 address) { strong<STORES>(SHARED_MEMORY, address & OFFSETS, lanes_here()); }
template <bool STORES> static __device__ __forceinline__ void strong_cluster(u64 address) { strong<STORES>(CLUSTER_MEMORY, cluster_word(address), lanes_here()); }
template <bool STORES> static __device__ __forceinline__ void strong_global(u64 address) { strong<STORES>(GLOBAL_MEMORY, address, lanes_here()); }

template <bool STORES> static __device__ __forceinline__ void strong_generic() {
    u64 address = in_address();
    if (__isShared((const void *)address)) strong_shared<STORES>(__cvta_generic_to_shared((const void *)address));
    else if (__isGlobal((const void *)address)) strong_global<STORES>(address);
    else do_operation();
}

template <bool STORES> static __device__ __forceinline__ void strong_generic_in_cluster() {
    u64 address = in_address();
    if (is_in_cluster(address)) strong_cluster<STORES>(to_cluster(address));
    else if (__isGlobal((const void *)address)) strong_global<STORES>(address);
    else do_operation();
}

#define WS_SHIP_STRONG(name, stores)                                                                                                                           \
    extern "C" __device__ void ws_ship_strong_global##name() { strong_global<stores>(in_address()); }                                                          \
    extern "C" __device__ void ws_ship_strong_shared##name() { strong_shared<stores>(in_address()); }                                                          \
    extern "C" __device__ void ws_ship_strong_cluster##name() { strong_cluster<stores>(in_address()); }                                                        \
    extern "C" __device__ void ws_ship_strong_generic##name() { strong_generic<stores>(); }                                                                    \
    extern "C" __device__ void ws_ship_strong_generic_in_cluster##name() { strong_generic_in_cluster<stores>(); }
WS_SHIP_STRONG(, false)
WS_SHIP_STRONG(_with_values, true)

static __device__ __forceinline__ void plain(u32 kind, u32 extra, u64 word) { record(recorder(), kind, __activemask(), 0, extra, 0, word); }

// The threads that are expected stand in the word of lane 0, whatever the mask.
extern "C" __device__ __noinline__ void ws_record_block_barrier(WS_RECORDER, u32 mask, u32 barrier, u32 expected) {
    Recorder recorder = WS_RECORDER_HERE;
    const Queue *queue = queue_of(recorder);
    u64 ticket = order ? enter((Order *)order, mask) : 0;
    u64 index = reserve(queue, 1, mask);
    fill(queue, index, header_of(recorder, BLOCK_BARRIER_ARRIVE, 0, mask, 0, barrier, ticket), mask, 0);
    __syncwarp(mask);
    if (leads(mask)) *(volatile u64 *)(queue->slots + (index & (queue->capacity - 1)) * SLOT_BYTES + LANES_OFFSET) = expected;
    commit(queue, index, 1, mask);
    if (order) leave((Order *)order, mask);
}

extern "C" __device__ void ws_ship_block_barrier() {
    Recorder who = recorder();
    ws_record_block_barrier(WS_RECORDER_OF(who), lanes_here(), in_barrier(), in_expected());
}

// Lanes that execute one instruction may be at barriers of different parts of the warp: one part after the other.
extern "C" __device__ __noinline__ void ws_record_warp_barrier(WS_RECORDER, u32 all, u32 members) {
    Recorder recorder = WS_RECORDER_HERE;
    u32 left = all;
#pragma unroll 1
    while (left != 0) {
        u32 of_first = __shfl_sync(all, members, __ffs(left) - 1);
        u32 mask = __ballot_sync(all, members == of_first);
        if (members == of_first) record(recorder, WARP_BARRIER_ARRIVE, mask, 0, members, 0, 0);
        __syncwarp(all);
        left &= ~mask;
    }
}

extern "C" __device__ void ws_ship_warp_barrier() {
    Recorder who = recorder();
    ws_record_warp_barrier(WS_RECORDER_OF(who), lanes_here(), in_mask());
}

extern "C" __device__ void ws_ship_fence() { plain(FENCE, 0, 0); }

extern "C" __device__ __noinline__ u64 ws_begin_fence(WS_RECORDER, WS_TURNS, u32 mask) {
    Recorder recorder = WS_RECORDER_HERE;
    u64 index = reserve(queue_of(recorder), 2, mask);
    if (leads(mask)) lock(turn_of(turns, turn_bits, FENCE_KEY));
    __syncwarp(mask);
    return index;
}

extern "C" __device__ __noinline__ void ws_end_fence(WS_RECORDER, WS_TURNS, u32 mask, u64 index) {
    Recorder recorder = WS_RECORDER_HERE;
    const Queue *queue = queue_of(recorder);
    __syncwarp(mask);
    u32 last = 0;
    if (leads(mask)) {
        Turn *location = turn_of(turns, turn_bits, FENCE_KEY);
        last = count(location, __popc(mask));
        unlock(location);
    }
    last = __shfl_sync(mask, last, __ffs(mask) - 1);
    u32 turn = last - __popc(mask >> own_lane()) + 1;
    fill(queue, index, header_of(recorder, FENCE, 1, mask, 0, 0, 0), mask, 0);
    fill(queue, index + 1, header_of(recorder, TURNS, 0, mask, 0, 0, 0), mask, turn);
    commit(queue, index, 2, mask);
}

// A fence whose place among others of its kind is wanted.
extern "C" __device__ void ws_ship_fence_sc() {
    u32 mask = lanes_here();
    Recorder who = recorder();
    u64 index = ws_begin_fence(WS_RECORDER_OF(who), WS_TURNS_OF_LAUNCH, mask);
    do_operation();
    ws_end_fence(WS_RECORDER_OF(who), WS_TURNS_OF_LAUNCH, mask, index);
}

extern "C" __device__ void ws_ship_proxy_fence() { plain(PROXY_FENCE, 0, 0); }
extern "C" __device__ void ws_ship_exit() { plain(EXIT, 0, 0); }
extern "C" __device__ void ws_ship_cluster_arrive() { plain(CLUSTER_ARRIVE, 0, 0); }
extern "C" __device__ void ws_ship_cluster_wait() { plain(CLUSTER_WAIT, 0, 0); }
extern "C" __device__ void ws_ship_prerequisite_wait() { plain(PREREQUISITE_WAIT, 0, 0); }
