// Asynchronous copies and `mbarrier` objects, for detectors on the host.
#include "places.h"

// In which memory an address is: that of the block, any (generic), or that of the cluster.
enum Space { OF_BLOCK = 0, GENERIC = 1, OF_CLUSTER = 2 };

// What a record is and where its object is; whether its phase can be asked for, and the arrivals that count.
WS_INPUT_32(kind)
WS_INPUT_32(space)
WS_INPUT_32(asks)
WS_INPUT_32(arrivals)
// The object that a copy tells (none, or one in a memory), and the blocks that get its data.
WS_INPUT_64(object)
WS_INPUT_32(tells)
WS_INPUT_32(blocks)
// Whether it writes global memory, and which memory it reads, if any.
WS_INPUT_32(to_global)
WS_INPUT_32(from_place)

// Shared memory that is named by an address.
struct Where {
    u32 place;
    u64 word;
    // Whether it is the block's own.
    bool is_own;
};

static __device__ __forceinline__ Where own_memory(u64 address) { return {SHARED_MEMORY, address & OFFSETS, true}; }

static __device__ __forceinline__ Where cluster_memory(u64 address) {
    return {CLUSTER_MEMORY, cluster_word(address), rank_of(address) == special_cluster_ctarank()};
}

template <bool CLUSTERS> static __device__ __forceinline__ Where shared_memory(u64 address, u32 space) {
    if (CLUSTERS && space == OF_CLUSTER) return cluster_memory(address);
    if (CLUSTERS && space == GENERIC) return cluster_memory(to_cluster(address));
    if (space == GENERIC) return own_memory(__cvta_generic_to_shared((const void *)address));
    return own_memory(address);
}

// Whether the number of an object's complete phases is odd.
static __device__ __forceinline__ u32 phase_is_odd(u64 word) {
    u32 odd;
    asm volatile("{\n\t.reg .pred odd;\n\tmbarrier.test_wait.parity.shared.b64 odd, [%1], 0;\n\tselp.u32 %0, 1, 0, odd;\n\t}"
                 : "=r"(odd)
                 : "r"((u32)(word & OFFSETS))
                 : "memory");
    return odd;
}

// In the location of a step: the object's phase was odd.
constexpr u64 ODD = 1;

extern "C" __device__ __noinline__ Begun ws_begin_step(WS_RECORDER, WS_TURNS, u32 mask, u32 place, u64 word, u32 asks) {
    Recorder recorder = WS_RECORDER_HERE;
    Turn *location = turn_of(turns, turn_bits, key_of(recorder, place, word));
    u64 index = reserve(queue_of(recorder), 2, mask);
    lock(location);
    return {index, (u64)location | (asks && phase_is_odd(word) ? ODD : 0)};
}

// A wait that says false leaves two slots that tell nothing.
extern "C" __device__ __noinline__ void ws_end_step(WS_RECORDER, u32 mask, u32 kind, u32 extra, u64 word, u64 index, u64 location, u32 counts) {
    Recorder recorder = WS_RECORDER_HERE;
    const Queue *queue = queue_of(recorder);
    u32 turn = counts ? count(turn_in(location), 1) : 0;
    unlock(turn_in(location));
    u32 part = counts ? TURNS : BLOCK_BARRIER_LEAVE;
    if (!counts) kind = BLOCK_BARRIER_LEAVE;
    fill(queue, index, header_of(recorder, kind, counts, mask, location & ODD ? mask : 0, extra, 0), mask, word);
    fill(queue, index + 1, header_of(recorder, part, 0, mask, 0, 0, 0), mask, turn);
    commit(queue, index, 2, mask);
}

// A step of an object, made under its location's lock. Lanes one after the other, with records of their own.
template <bool CLUSTERS, bool WAITS> static __device__ __forceinline__ void step() {
    u32 all = lanes_here();
    Recorder who = recorder();
    Where object = shared_memory<CLUSTERS>(in_address(), in_space());
    u32 extra = object.place | in_arrivals() << ARRIVALS;
    if (!object.is_own) extra |= UNKNOWN_PHASE;
#pragma unroll 1
    for (u32 rest = all; rest != 0; rest &= rest - 1) {
        u32 mask = rest & (~rest + 1);
        if (mask == 1u << own_lane()) {
            Begun begun = ws_begin_step(WS_RECORDER_OF(who), WS_TURNS_OF_LAUNCH, mask, object.place, object.word, in_asks() && object.is_own);
            do_operation();
            u32 counts = !WAITS || in_wrote();
            ws_end_step(WS_RECORDER_OF(who), mask, in_kind(), extra, object.word, begun.index, begun.location, counts);
        }
        __syncwarp(all);
    }
}

extern "C" __device__ void ws_ship_mbarrier() { step<false, false>(); }
extern "C" __device__ void ws_ship_mbarrier_in_cluster() { step<true, false>(); }
extern "C" __device__ void ws_ship_mbarrier_wait() { step<false, true>(); }
extern "C" __device__ void ws_ship_mbarrier_wait_in_cluster() { step<true, true>(); }

// Lanes that read different amounts are different operations.
extern "C" __device__ __noinline__ void ws_record_copy(WS_RECORDER, u32 all, u64 to, u64 from, u32 bytes, u32 source_bytes) {
    Recorder recorder = WS_RECORDER_HERE;
    const Queue *queue = queue_of(recorder);
    if (source_bytes > bytes) source_bytes = bytes;
    u32 left = all;
#pragma unroll 1
    while (left != 0) {
        u32 of_first = __shfl_sync(all, source_bytes, __ffs(left) - 1);
        u32 mask = __ballot_sync(all, source_bytes == of_first);
        if (source_bytes == of_first) {
            u32 parts = source_bytes != 0;
            u64 index = reserve(queue, 1 + parts, mask);
            fill(queue, index, header_of(recorder, COPY_BEGIN, parts, mask, bytes, SHARED_MEMORY, 0), mask, to);
            if (parts) fill(queue, index + 1, header_of(recorder, COPY_SOURCE, 0, mask, source_bytes, GLOBAL_MEMORY, 0), mask, from);
            commit(queue, index, 1 + parts, mask);
        }
        __syncwarp(all);
        left &= ~mask;
    }
}

// A copy of a thread from global to shared memory begins.
extern "C" __device__ void ws_ship_copy() {
    Recorder who = recorder();
    ws_record_copy(WS_RECORDER_OF(who), lanes_here(), in_address() & OFFSETS, in_source(), in_bytes(), in_source_bytes());
}

// One destination of a bulk copy or an asynchronous store.
extern "C" __device__ __noinline__ void ws_record_bulk(WS_RECORDER, WS_TURNS, u32 mask, u32 place, u64 word, u32 bytes, u32 from_place, u64 from, u32 tells,
                                                     u32 object_place, u64 object, u32 object_is_own) {
    Recorder recorder = WS_RECORDER_HERE;
    const Queue *queue = queue_of(recorder);
    u32 parts = (from_place != OF_SITE) + (tells ? 2 : 0);
    u64 index = reserve(queue, 1 + parts, mask), at = index;
    u32 odd = 0, turn = 0;
    if (tells) {
        Turn *location = turn_of(turns, turn_bits, key_of(recorder, object_place, object));
        lock(location);
        if (object_is_own) odd = phase_is_odd(object);
        turn = count(location, 1);
        unlock(location);
    }
    fill(queue, at++, header_of(recorder, COPY_BEGIN, parts, mask, bytes, place, 0), mask, word);
    if (from_place != OF_SITE) fill(queue, at++, header_of(recorder, COPY_SOURCE, 0, mask, bytes, from_place, 0), mask, from);
    if (tells) {
        u32 extra = object_place | (object_is_own ? 0 : UNKNOWN_PHASE);
        fill(queue, at++, header_of(recorder, COPY_OBJECT, 0, mask, odd ? mask : 0, extra, 0), mask, object);
        fill(queue, at, header_of(recorder, TURNS, 0, mask, 0, 0, 0), mask, turn);
    }
    commit(queue, index, 1 + parts, mask);
}

// A bulk copy or an asynchronous store begins, recorded before it does. Lanes one after the other.
template <bool CLUSTERS> static __device__ __forceinline__ void bulk() {
    u32 all = lanes_here(), space = in_space(), blocks = in_blocks(), bytes = in_bytes(), tells = in_tells();
    Recorder who = recorder();
    u32 from_place = in_from_place();
    u64 to = in_address(), from = in_source(), object = in_object();
    if (from_place == SHARED_MEMORY) from &= OFFSETS;
    auto destination = [&](u32 mask, u32 place, u64 word, u32 tells, const Where &told) {
        ws_record_bulk(WS_RECORDER_OF(who), WS_TURNS_OF_LAUNCH, mask, place, word, bytes, from_place, from, tells, told.place, told.word, told.is_own);
    };
#pragma unroll 1
    for (u32 rest = all; rest != 0; rest &= rest - 1) {
        u32 mask = rest & (~rest + 1);
        if (mask == 1u << own_lane()) {
            if (in_to_global()) destination(mask, GLOBAL_MEMORY, to, false, own_memory(0));
            else if (!CLUSTERS || blocks == 0) {
                Where place = shared_memory<CLUSTERS>(to, space);
                destination(mask, place.place, place.word, tells, shared_memory<CLUSTERS>(object, space));
            } else {
                u32 same = 0;
#pragma unroll 1
                for (u32 ranks = blocks & 0xFFFF; ranks != 0; ranks &= ranks - 1) {
                    u32 rank = __ffs(ranks) - 1;
                    u64 owner = (u64)block_of_rank(rank) << 32;
                    Where told = {CLUSTER_MEMORY, owner | (object & OFFSETS), rank == special_cluster_ctarank()};
                    destination(mask, CLUSTER_MEMORY | same, owner | (to & OFFSETS), tells, told);
                    same = SAME_COPY;
                }
            }
        }
        __syncwarp(all);
    }
}

extern "C" __device__ void ws_ship_bulk() { bulk<false>(); }
extern "C" __device__ void ws_ship_bulk_in_cluster() { bulk<true>(); }

static __device__ __forceinline__ void plain(u32 kind, u32 extra) { record(recorder(), kind, __activemask(), 0, extra, 0, 0); }

extern "C" __device__ void ws_ship_copy_commit() { plain(COPY_COMMIT, 0); }
extern "C" __device__ void ws_ship_copy_wait() { plain(COPY_WAIT, in_expected()); }
