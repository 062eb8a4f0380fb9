// Printed from `happens_before/layout.rs` by `cargo xtask device-runtime --write`; change those.
#pragma once
#include "template.h"

constexpr u32 WRITES = 1u;
constexpr u32 UPDATES = 2u;
constexpr u32 RETURNS_NOTHING = 4u;
constexpr u32 HAS_UPDATES = 8u;
constexpr u32 BY_READ_ONLY_PATH = 16u;
constexpr u32 IN_SHARED = 32u;
constexpr u32 VOLATILE = 64u;
constexpr u32 HAS_VOLATILE = 128u;
constexpr u32 BYTES_PLACE = 8u;
constexpr u32 ACCESS_SITE = 4095u;
constexpr u32 ACCESS_SHAPE = 12u;
constexpr u32 ACCESS_WRITES = 131072u;
constexpr u32 ACCESS_BY_READ_ONLY_PATH = 262144u;
constexpr u32 ACCESS_READ = 19u;
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
constexpr u32 PAGES_OF_CHUNK = 294912u;
constexpr u32 PAGE_BITS = 16u;
constexpr u32 PAGE_WRITERS = 131072u;
constexpr u32 PAGE_SITES = 262144u;
constexpr u32 PAGE_LINES = 294912u;
constexpr u32 PAGE_COUNT = 294976u;
constexpr u32 PAGE_BYTES = 295040u;
constexpr u32 BYTES_UPDATERS = 80u;
constexpr u32 BYTES_RECORD = 144u;
constexpr u32 GAP_NO_ROOM = 1u;
constexpr u32 GAP_CONTENDED = 2u;
constexpr u32 GAP_EPOCHS = 4u;
constexpr u32 GAP_INTERVALS = 8u;
constexpr u32 GAP_UNKNOWN_MEMORY = 16u;
constexpr u32 GAP_WITNESSES = 32u;
constexpr u32 GAP_COPIES = 64u;
constexpr u32 GAP_SOURCES = 128u;
constexpr u32 GAP_OBSERVED = 256u;
constexpr u32 MOST_PENDING = 64u;
constexpr u32 PENDING_BYTES = 1040u;
constexpr u32 TILE_PLACE = 53u;
constexpr u32 BESIDE_WHOLE_PLACE = 63u;
constexpr u32 REPORTED_LANE = 26u;
constexpr u32 REPORTED_WARP = 31u;

struct EntriesHead {
    u64 pages;
    u64 bytes;
    u64 reports;
    u64 shadow;
    u64 page_table;
    u64 pages_taken;
    u64 first_page;
    u32 table_pages;
    u32 page_capacity;
    u32 bytes_capacity;
    u32 bytes_taken;
    u32 bytes_spare;
    u32 gaps;
};
static_assert(sizeof(EntriesHead) == 80, "as the host has it");
