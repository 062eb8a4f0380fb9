// Printed from `happens_before/layout.rs` by `cargo xtask device-runtime --write`; change those.
#pragma once
#include "template.h"

constexpr u32 WRITES = 1u;
constexpr u32 UPDATES = 2u;
constexpr u32 RETURNS_NOTHING = 4u;
constexpr u32 HAS_UPDATES = 8u;
constexpr u32 BY_READ_ONLY_PATH = 16u;
constexpr u32 IN_SHARED = 32u;
constexpr u32 BYTES_PLACE = 8u;
constexpr u32 ACCESS_SITE = 4095u;
constexpr u32 ACCESS_SHAPE = 12u;
constexpr u32 ACCESS_WRITES = 131072u;
constexpr u32 ACCESS_BY_READ_ONLY_PATH = 262144u;
constexpr u32 IN_A_WARP = 1u;
constexpr u32 IN_A_BLOCK = 2u;
constexpr u32 IN_A_GRID = 3u;
constexpr u32 OF_SHARED = 4u;
constexpr u32 SAME_VALUE = 8u;
constexpr u32 ONE_INSTRUCTION = 16u;
constexpr u32 LANE_IS_HERE = 32u;
constexpr u32 ORDERED_ANYWAY = 64u;
constexpr u32 BY_ANOTHER = 128u;
constexpr u32 LINE_ENTRIES = 262144u;
constexpr u32 WORDS_RECORD = 576u;
constexpr u32 BYTES_RECORD = 80u;
constexpr u32 GAP_NO_ROOM = 1u;
constexpr u32 GAP_CONTENDED = 2u;
constexpr u32 GAP_EPOCHS = 4u;
constexpr u32 GAP_INTERVALS = 8u;
constexpr u32 GAP_UNKNOWN_MEMORY = 16u;
constexpr u32 GAP_WITNESSES = 32u;
constexpr u32 REPORTED_LANE = 26u;
constexpr u32 REPORTED_WARP = 31u;

struct EntriesHead {
    u64 words;
    u64 bytes;
    u64 reports;
    u32 capacity[2];
    u32 taken[2];
    u32 spare[2];
    u32 gaps;
    u32 nothing;
};
static_assert(sizeof(EntriesHead) == 56, "as the host has it");
