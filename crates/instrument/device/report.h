// Races on their way to the host.
#pragma once
#include "report_layout.h"

// Occurrences of a kind that are counted.
constexpr u32 MOST_COUNTED = 1u << 16;

// `Reports` lies in device memory, its ring in memory of the host. Every kind of race (kernel, rule, two instructions) goes to the
// host once; after that it is only counted.
extern "C" __device__ __noinline__ void ws_report(Reports *reports, Report race) {
    u64 kind = 1ull << 63 | (u64)race.variant << 40 | (u64)race.rule << 32 | (u64)race.previous_site << 16 | race.site;
    u32 slot = (u32)((kind * 0x9E3779B97F4A7C15ull) >> 52);
    for (u32 probe = 0; probe < 64; probe++, slot = (slot + 1) % KINDS) {
        // Threads that spin on a racy flag come here all the time: they look before they write, and stop counting.
        u64 found = *(volatile u64 *)&reports->kinds[slot];
        if (found == 0) found = atomicCAS(&reports->kinds[slot], 0ull, kind);
        if (found == kind) {
            if (*(volatile u32 *)&reports->counts[slot] < MOST_COUNTED) atomicAdd(&reports->counts[slot], 1);
            return;
        }
        if (found != 0) continue;
        u32 index = atomicAdd(&reports->head, 1);
        if (index >= reports->capacity) break;
        race.slot = slot;
        race.ready = 0;
        Report *place = &reports->ring[index];
        *place = race;
        __threadfence_system();
        *(volatile u32 *)&place->ready = 1;
        atomicAdd(&reports->counts[slot], 1);
        return;
    }
    atomicAdd(&reports->lost, 1);
}
