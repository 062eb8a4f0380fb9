// Shared memory: whose it is, and its locations in the table of turns.
#pragma once
#include "queue.h"

// A block's own addresses of the `.shared` window are below this, and those of a cluster have the block's rank above.
constexpr u64 OFFSETS = 0xFFFFFF;

// The words of the table of turns: a lock and a count each.
struct Turn {
    u32 lock;
    u32 count;
};

// As functions get it.
#define WS_TURNS u64 turns, u32 turn_bits
#define WS_TURNS_OF_LAUNCH context_turns(), context_turn_bits()

static __device__ __forceinline__ Turn *turn_of(WS_TURNS, u64 key) { return (Turn *)turns + (u32)(key * KEY_SPREAD >> (64 - turn_bits)); }

static __device__ __forceinline__ u64 global_key(u64 address) { return address >> LOCATION_SHIFT; }
static __device__ __forceinline__ u64 shared_key(u32 owner, u64 offset) {
    return SHARED_KEY | (u64)owner << OWNER_SHIFT | (offset & OFFSETS) >> LOCATION_SHIFT;
}

static __device__ __forceinline__ void lock(Turn *turn) {
    while (atomicCAS(&turn->lock, 0u, 1u) != 0) __nanosleep(64);
    __threadfence();
}

// Takes turns at the location; the last of them.
static __device__ __forceinline__ u32 count(Turn *turn, u32 turns) {
    u32 last = *(volatile u32 *)&turn->count + turns;
    *(volatile u32 *)&turn->count = last;
    return last;
}

static __device__ __forceinline__ void unlock(Turn *turn) {
    __threadfence();
    atomicExch(&turn->lock, 0u);
}

// The key of a location: its word is an address of global memory, an offset in the block's own memory, or has the owner above.
static __device__ __forceinline__ u64 key_of(const Recorder &recorder, u32 place, u64 word) {
    if (place == GLOBAL_MEMORY) return global_key(word);
    return shared_key(place == CLUSTER_MEMORY ? (u32)(word >> 32) : recorder.block(), word);
}

// What is begun before an operation, and ended behind it: where its records will be, and its location in the table of turns. The lowest bit of that is a flag.
struct Begun {
    u64 index, location;
};
static __device__ __forceinline__ Turn *turn_in(u64 location) { return (Turn *)(location & ~1ull); }

#define WS_SPECIAL(name)                                                                           \
    static __device__ __forceinline__ u32 special_##name() {                                       \
        u32 value;                                                                                 \
        asm("mov.u32 %0, %%" #name ";" : "=r"(value));                                             \
        return value;                                                                              \
    }
#define WS_SPECIAL_PART(name, part)                                                                \
    static __device__ __forceinline__ u32 special_##name##_##part() {                              \
        u32 value;                                                                                 \
        asm("mov.u32 %0, %%" #name "." #part ";" : "=r"(value));                                   \
        return value;                                                                              \
    }
WS_SPECIAL(cluster_ctarank)
WS_SPECIAL_PART(cluster_ctaid, x)
WS_SPECIAL_PART(cluster_ctaid, y)
WS_SPECIAL_PART(cluster_ctaid, z)
WS_SPECIAL_PART(cluster_nctaid, x)
WS_SPECIAL_PART(cluster_nctaid, y)
WS_SPECIAL_PART(ctaid, x)
WS_SPECIAL_PART(ctaid, y)
WS_SPECIAL_PART(ctaid, z)
WS_SPECIAL_PART(nctaid, x)
WS_SPECIAL_PART(nctaid, y)

// The linear number of the block that has a rank in this cluster.
static __device__ __forceinline__ u32 block_of_rank(u32 rank) {
    u32 in_row = special_cluster_nctaid_x(), in_column = special_cluster_nctaid_y();
    u32 x = special_ctaid_x() - special_cluster_ctaid_x() + rank % in_row;
    u32 y = special_ctaid_y() - special_cluster_ctaid_y() + rank / in_row % in_column;
    u32 z = special_ctaid_z() - special_cluster_ctaid_z() + rank / in_row / in_column;
    return x + special_nctaid_x() * (y + special_nctaid_y() * z);
}

static __device__ __forceinline__ bool is_in_cluster(u64 generic) {
    u32 found;
    asm("{\n\t.reg .pred found;\n\tisspacep.shared::cluster found, %1;\n\tselp.u32 %0, 1, 0, found;\n\t}" : "=r"(found) : "l"(generic));
    return found;
}

static __device__ __forceinline__ u64 to_cluster(u64 generic) {
    u64 address;
    asm("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(address) : "l"(generic));
    return address;
}

static __device__ __forceinline__ u32 rank_of(u64 cluster_address) {
    u32 rank;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"((u32)cluster_address));
    return rank;
}

// An address of the cluster's shared memory as records have it: the owner above, and the offset.
static __device__ __forceinline__ u64 cluster_word(u64 cluster_address) {
    return (u64)block_of_rank(rank_of(cluster_address)) << 32 | (cluster_address & OFFSETS);
}
