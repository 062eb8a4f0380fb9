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
    u32 owner;
    u32 offset;
    u64 word;
    // Whether it is the block's own.
    bool is_own;
};

static __device__ __forceinline__ Where own_memory(u32 block, u64 address) {
    u32 offset = (u32)(address & OFFSETS);
    return {SHARED_MEMORY, block, offset, offset, true};
}

static __device__ __forceinline__ Where cluster_memory(u64 address) {
    u64 word = cluster_word(address);
    return {CLUSTER_MEMORY, (u32)(word >> 32), (u32)(word & OFFSETS), word, rank_of(address) == special_cluster_ctarank()};
}

template <bool CLUSTERS> static __device__ __forceinline__ Where shared_memory(u32 block, u64 address, u32 space) {
    if (CLUSTERS && space == OF_CLUSTER) return cluster_memory(address);
    if (CLUSTERS && space == GENERIC) return cluster_memory(to_cluster(address));
    if (space == GENERIC) return own_memory(block, __cvta_generic_to_shared((const void *)address));
    return own_memory(block, address);
}

// Whether the number of an object's complete phases is odd.
static __device__ __forceinline__ u32 phase_is_odd(u32 offset) {
    u32 odd;
    asm volatile("{\n\t.reg .pred odd;\n\tmbarrier.test_wait.parity.shared.b64 odd, [%1], 0;\n\tselp.u32 %0, 1, 0, odd;\n\t}"
                 : "=r"(odd)
                 : "r"(offset)
                 : "memory");
    return odd;
}

// A step of an object, made under its location's lock. Lanes one after the other, with records of their own. A wait
// that says false leaves two slots that tell nothing.
template <bool CLUSTERS, bool WAITS> static __device__ __forceinline__ void step() {
    u32 all = lanes_here();
    Teller who = teller();
    const Queue *queue = queue_of(who);
    Where object = shared_memory<CLUSTERS>(who.block, in_address(), in_space());
    u32 extra = object.place | in_arrivals() << ARRIVALS;
    if (!object.is_own) extra |= UNKNOWN_PHASE;
    Turn *location = turn_of(shared_key(object.owner, object.offset));
#pragma unroll 1
    for (u32 rest = all; rest != 0; rest &= rest - 1) {
        u32 mask = rest & (~rest + 1);
        if (mask == 1u << own_lane()) {
            u64 index = reserve(queue, 2, mask);
            lock(location);
            u32 odd = in_asks() && object.is_own ? phase_is_odd(object.offset) : 0;
            do_operation();
            bool counts = !WAITS || in_wrote();
            u32 turn = counts ? count(location, 1) : 0;
            unlock(location);
            u32 kind = counts ? in_kind() : BLOCK_BARRIER_LEAVE, part = counts ? TURNS : BLOCK_BARRIER_LEAVE;
            fill(queue, index, header_of(who, kind, counts, mask, odd ? mask : 0, extra, 0), mask, object.word);
            fill(queue, index + 1, header_of(who, part, 0, mask, 0, 0, 0), mask, turn);
            commit(queue, index, 2, mask);
        }
        __syncwarp(all);
    }
}

extern "C" __device__ void ws_ship_mbarrier() { step<false, false>(); }
extern "C" __device__ void ws_ship_mbarrier_in_cluster() { step<true, false>(); }
extern "C" __device__ void ws_ship_mbarrier_wait() { step<false, true>(); }
extern "C" __device__ void ws_ship_mbarrier_wait_in_cluster() { step<true, true>(); }

// A copy of a thread from global to shared memory begins. Lanes that read different amounts are different operations.
extern "C" __device__ void ws_ship_copy() {
    u32 all = lanes_here(), bytes = in_bytes(), source_bytes = in_source_bytes();
    if (source_bytes > bytes) source_bytes = bytes;
    u32 left = all;
    u64 to = in_address() & OFFSETS, from = in_source();
    Teller who = teller();
    const Queue *queue = queue_of(who);
#pragma unroll 1
    while (left != 0) {
        u32 of_first = __shfl_sync(all, source_bytes, __ffs(left) - 1);
        u32 mask = __ballot_sync(all, source_bytes == of_first);
        if (source_bytes == of_first) {
            u32 parts = source_bytes != 0;
            u64 index = reserve(queue, 1 + parts, mask);
            fill(queue, index, header_of(who, COPY_BEGIN, parts, mask, bytes, SHARED_MEMORY, 0), mask, to);
            if (parts) fill(queue, index + 1, header_of(who, COPY_SOURCE, 0, mask, source_bytes, GLOBAL_MEMORY, 0), mask, from);
            commit(queue, index, 1 + parts, mask);
        }
        __syncwarp(all);
        left &= ~mask;
    }
}

// One destination of a bulk copy or an asynchronous store.
static __device__ __forceinline__ void destination(const Teller &who, u32 mask, u32 place, u64 word, u32 bytes, u32 from_place, u64 from,
                                                   bool tells, const Where &object, u32 same) {
    const Queue *queue = queue_of(who);
    u32 parts = (from_place != OF_SITE) + (tells ? 2 : 0);
    u64 index = reserve(queue, 1 + parts, mask), at = index;
    u32 odd = 0, turn = 0;
    if (tells) {
        Turn *location = turn_of(shared_key(object.owner, object.offset));
        lock(location);
        if (object.is_own) odd = phase_is_odd(object.offset);
        turn = count(location, 1);
        unlock(location);
    }
    fill(queue, at++, header_of(who, COPY_BEGIN, parts, mask, bytes, place | same, 0), mask, word);
    if (from_place != OF_SITE) fill(queue, at++, header_of(who, COPY_SOURCE, 0, mask, bytes, from_place, 0), mask, from);
    if (tells) {
        u32 extra = object.place | (object.is_own ? 0 : UNKNOWN_PHASE);
        fill(queue, at++, header_of(who, COPY_OBJECT, 0, mask, odd ? mask : 0, extra, 0), mask, object.word);
        fill(queue, at, header_of(who, TURNS, 0, mask, 0, 0, 0), mask, turn);
    }
    commit(queue, index, 1 + parts, mask);
}

// A bulk copy or an asynchronous store begins, told before it does. Lanes one after the other.
template <bool CLUSTERS> static __device__ __forceinline__ void bulk() {
    u32 all = lanes_here(), space = in_space(), blocks = in_blocks(), bytes = in_bytes();
    bool tells = in_tells(), to_global = in_to_global();
    Teller who = teller();
    u32 from_place = in_from_place();
    u64 to = in_address(), from = in_source(), object = in_object();
    if (from_place == SHARED_MEMORY) from &= OFFSETS;
#pragma unroll 1
    for (u32 rest = all; rest != 0; rest &= rest - 1) {
        u32 mask = rest & (~rest + 1);
        if (mask == 1u << own_lane()) {
            if (to_global) destination(who, mask, GLOBAL_MEMORY, to, bytes, from_place, from, false, own_memory(who.block, 0), 0);
            else if (!CLUSTERS || blocks == 0) {
                Where place = shared_memory<CLUSTERS>(who.block, to, space);
                Where told = shared_memory<CLUSTERS>(who.block, object, space);
                destination(who, mask, place.place, place.word, bytes, from_place, from, tells, told, 0);
            } else {
                u32 same = 0;
#pragma unroll 1
                for (u32 ranks = blocks & 0xFFFF; ranks != 0; ranks &= ranks - 1) {
                    u32 rank = __ffs(ranks) - 1, owner = block_of_rank(rank);
                    bool is_own = rank == special_cluster_ctarank();
                    u32 at = (u32)(object & OFFSETS);
                    Where told = {CLUSTER_MEMORY, owner, at, (u64)owner << 32 | at, is_own};
                    destination(who, mask, CLUSTER_MEMORY, (u64)owner << 32 | (to & OFFSETS), bytes, from_place, from, tells, told, same);
                    same = SAME_COPY;
                }
            }
        }
        __syncwarp(all);
    }
}

extern "C" __device__ void ws_ship_bulk() { bulk<false>(); }
extern "C" __device__ void ws_ship_bulk_in_cluster() { bulk<true>(); }

static __device__ __forceinline__ void plain(u32 kind, u32 extra) { tell(teller(), kind, __activemask(), 0, extra, 0, 0); }

extern "C" __device__ void ws_ship_copy_commit() { plain(COPY_COMMIT, 0); }
extern "C" __device__ void ws_ship_copy_wait() { plain(COPY_WAIT, in_expected()); }
