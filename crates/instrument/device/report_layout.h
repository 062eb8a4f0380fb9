// Printed from `finding.rs` by `cargo xtask device-runtime --write`; change those.
#pragma once
#include "template.h"

struct Report {
    u64 address;
    u64 accessor;
    u64 previous;
    u32 site;
    u32 previous_site;
    u32 rule;
    u32 mask;
    u32 launch;
    u32 slot;
    u64 more;
    u32 variant;
    u32 ready;
};
static_assert(sizeof(Report) == 64, "as the host has it");

constexpr u32 KINDS = 4096u;

struct Reports {
    Report *ring;
    u32 capacity;
    u32 head;
    u32 lost;
    u32 unused;
    u64 kinds[4096];
    u32 counts[4096];
};
static_assert(sizeof(Reports) == 49176, "as the host has it");
