// Printed from `sets/layout.rs` by `cargo xtask device-runtime --write`; change those.
#pragma once
#include "template.h"

constexpr u32 WRITES = 1u;
constexpr u32 IN_SHARED = 4u;
constexpr u32 HAS_BLOCK = 8u;
constexpr u32 IS_SIGNED = 16u;
constexpr u32 NO_PLACE = 4294967295u;
constexpr u32 ENTRY_BYTES = 32u;
constexpr u32 ROW_BYTES = 128u;
constexpr u32 PARTITIONS = 256u;
constexpr u32 KNOWN_BITS = 13u;
constexpr u32 BLOCK_BYTES = 2160u;
constexpr u32 NO_ROOM_FOR_THREADS = 1u;
constexpr u32 NO_ROOM_FOR_BLOCKS = 2u;
constexpr u32 NO_SLOT = 4u;
constexpr u32 TOO_CROWDED = 8u;

struct Counters {
    u32 entries;
    u32 rows;
    u32 nodes;
    u32 unused[29];
};
static_assert(sizeof(Counters) == 128, "as the host has it");

struct Sets {
    u64 entries;
    u64 rows;
    u64 slots;
    u64 owners;
    u64 buckets;
    u64 nodes;
    u32 direct_entries;
    u32 partition_entries;
    u32 partition_rows;
    u32 partition_nodes;
    u32 slot_count;
    u32 slot_entries;
    u32 bucket_bits;
    u32 gaps;
    u64 reports;
    u32 launch;
    u32 options;
    u32 warps_per_block;
    u32 unused;
    u64 write_end;
    u64 write_start;
    u32 used_places[8];
    u32 some_meet;
    u32 padding;
    Counters counters[256];
    u64 known[8192];
};
static_assert(sizeof(Sets) == 98464, "as the host has it");

struct Checked {
    u64 sets;
    u64 reports;
    u32 warps;
    u32 places;
    u32 launch;
    u32 options;
    u32 warps_per_block;
    u32 set_tag;
    u64 written_0, written_1, written_2, written_3;
    u64 seldom_0, seldom_1, seldom_2, seldom_3;
};
static_assert(sizeof(Checked) == 104, "as the host has it");
