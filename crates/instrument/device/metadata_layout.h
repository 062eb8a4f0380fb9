// Printed from `finding.rs`, `shape.rs`, `checks.rs` by `cargo xtask device-runtime --write`; change those.
#pragma once
#include "template.h"

constexpr u32 CHUNK_BITS = 21u;
constexpr u32 LANE = 26u;
constexpr u32 WARP = 31u;
constexpr u32 OLDER_SHIFT = 8u;
constexpr u32 ENTRY_BYTES_SHIFT = 16u;
constexpr u32 SCOPE_IS_BLOCK = 4u;
constexpr u32 WITH_LOCKS = 8u;
constexpr u32 NO_COALESCING = 1u;
constexpr u32 NO_SHARING = 2u;

enum Type {
    LOAD = 0,
    STORE = 1,
    ATOMIC_ACCESS = 2,
};
