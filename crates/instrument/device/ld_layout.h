// Printed from `private_copies/layout.rs` by `cargo xtask device-runtime --write`; change those.
#pragma once
#include "template.h"

constexpr u32 COPY_BITS = 16u;
constexpr u32 REGION_BITS = 12u;
constexpr u32 WORD_BITS = 26u;
constexpr u32 WARP_BITS = 5u;
constexpr u32 GRANULE_BYTES = 16u;
constexpr u32 SHADOW_WORDS = 65536u;
constexpr u32 INVOLVED_WORDS = 2048u;
constexpr u32 BLOCK_UNITS = 0u;
constexpr u32 FIRST = 1u;
constexpr u32 GOES_ON = 2u;
constexpr u32 ALWAYS = 4u;
constexpr u32 COPIES_ONLY = 8u;
constexpr u32 LOG_CHECKS = 4u;
constexpr u32 FIRST_PASS = 8u;
constexpr u32 SECOND_PASS = 16u;
constexpr u32 WARPS_RACED = 4u;
constexpr u32 BLOCKS_RACED = 8u;
constexpr u32 RACED_IN_SHARED = 16u;
constexpr u32 RACED_IN_REGISTERS = 32u;
constexpr u32 RACED_UNSEEN = 64u;
constexpr u32 LANE_PLACE = 26u;
constexpr u32 WARP_PLACE = 31u;

constexpr u64 NOTHING = 18446744073709551615ull;

struct Grouping {
    u64 power;
    u32 copies;
    u32 count;
    u32 units;
    u32 unused;
};
static_assert(sizeof(Grouping) == 24, "as the host has it");

struct Target {
    u64 address;
    u64 bytes;
    u64 start;
    u64 only_set_back;
};
static_assert(sizeof(Target) == 32, "as the host has it");

struct Head {
    u32 stopped;
    u32 target_count;
    u64 keys[4];
    u32 bytes[2];
    Grouping logged;
    u64 sides[2];
    u64 logged_address;
    u32 region[2];
    u64 shadow;
    u64 sums;
    u64 displacements[64];
    Target targets[64];
    u32 involved[2048];
};
static_assert(sizeof(Head) == 10872, "as the host has it");

struct Sweep {
    u64 head;
    u64 copies;
    u64 originals;
    u64 stride;
    u64 reports;
    Grouping grouping;
    u32 flags;
    u32 launch;
    u32 variant;
    u32 warps_per_block;
    u32 step;
    u32 unused;
};
static_assert(sizeof(Sweep) == 88, "as the host has it");
