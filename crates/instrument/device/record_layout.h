// Printed from `record.rs` by `cargo xtask device-runtime --write`; change those.
#pragma once
#include "template.h"

enum Kind {
    ACCESS = 1,
    TURNS = 2,
    VALUES = 3,
    BLOCK_BARRIER_ARRIVE = 4,
    BLOCK_BARRIER_LEAVE = 5,
    WARP_BARRIER_ARRIVE = 6,
    FENCE = 7,
    EXIT = 8,
    CLUSTER_ARRIVE = 9,
    CLUSTER_WAIT = 10,
    PROXY_FENCE = 11,
    MBARRIER = 12,
    COPY_BEGIN = 13,
    COPY_SOURCE = 14,
    COPY_OBJECT = 15,
    COPY_COMMIT = 16,
    COPY_WAIT = 17,
    COPY_ARRIVE = 18,
    PREREQUISITE_WAIT = 19,
};

enum Place {
    OF_SITE = 0,
    GLOBAL_MEMORY = 1,
    SHARED_MEMORY = 2,
    CLUSTER_MEMORY = 3,
};

struct Heads {
    u64 write_head;
    u32 gap_1[30];
    u64 commit_index;
    u32 gap_2[30];
    u64 known_read_head;
    u32 gap_3[30];
};
static_assert(sizeof(Heads) == 384, "as the host has it");

struct Queue {
    Heads *heads;
    volatile u64 *read_head;
    volatile u64 *ready;
    u64 slots;
    u64 capacity;
};
static_assert(sizeof(Queue) == 40, "as the host has it");

struct Header {
    u32 block;
    u16 warp;
    u16 kind;
    u32 site;
    u32 mask;
    u32 wrote;
    u32 extra;
    u64 ticket;
};
static_assert(sizeof(Header) == 32, "as the host has it");

constexpr u64 SHARED_KEY = 9223372036854775808ull;
constexpr u64 FENCE_KEY = 4611686018427387904ull;
constexpr u64 KEY_SPREAD = 11400714819323198485ull;
constexpr u64 SLOT_BYTES = 288ull;
constexpr u64 LANES_OFFSET = 32ull;
constexpr u64 TICKET_OFFSET = 24ull;

constexpr u32 UNKNOWN_PHASE = 2147483648u;
constexpr u32 ARRIVALS = 8u;
constexpr u32 SAME_COPY = 256u;
constexpr u32 LOCATION_SHIFT = 4u;
constexpr u32 OWNER_SHIFT = 28u;
