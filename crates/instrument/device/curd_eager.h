// CURD's eager scheme: an entry is compared as soon as it is there, with all that were there before it.
//
// Each line has a list of reads and one of writes. Whoever comes enters its lists first and looks at the others' then, with a fence in
// between: of two that come at the same time one finds the other, so that each pair is compared, and the thesis' notes of
// which pairs have been checked already are the order in the lists.
#pragma once
#include "curd_lines.h"

// Reads are where the lazy scheme has its marks.
static __device__ __forceinline__ u64 *reads_of(const Sets *sets, u64 line) { return (u64 *)sets->buckets + bucket_of(sets, line); }

static __device__ __forceinline__ u32 enter(const Nodes &nodes, u64 *list, u32 launch, u32 node, u64 line, u32 words) {
    u64 before = *(volatile u64 *)list;
    for (;;) {
        nodes.put(node, next_of(launch, before), line, words);
        __threadfence();
        u64 found = atomicCAS(list, before, head_of(launch, node));
        if (found == before) return next_of(launch, before);
        before = found;
    }
}

// Called by one lane, with the number of an entry of the grid.
extern "C" __device__ __noinline__ void ws_curd_meet(u64 all_sets, u32 number) {
    Sets *sets = (Sets *)all_sets;
    Compared compared = {sets->reports, sets->launch, sets->options, sets->warps_per_block};
    Strip strip = strip_of(get(sets->entries + (u64)number * ENTRY_BYTES), sets->rows);
    Told told;
    if (strip.writes && !has_lanes_apart(strip)) compare(sets, compared, strip, number, told);
    Nodes nodes = {sets, number, number, 1};
    for_each_line(strip, [&](u64 line, u32 words) {
        u32 node = nodes.take();
        if (node == ~0u) return;
        u32 before = enter(nodes, strip.writes ? list_of(sets, line) : reads_of(sets, line), compared.launch, node, line, words);
        __threadfence();
        auto with = [&](u32 other) {
            if (other != number) compare(sets, compared, strip, other, told);
        };
        u32 writes = strip.writes ? before : next_of(compared.launch, *(volatile u64 *)list_of(sets, line));
        u32 reads = strip.writes ? next_of(compared.launch, *(volatile u64 *)reads_of(sets, line)) : 0;
        __threadfence();
        for_each_writer(sets, writes, line, words, with);
        for_each_writer(sets, reads, line, words, with);
    });
}
