// Two accesses of hb on the device, found to be unordered, on their way to the host.
#pragma once
#include "hb_entries.h"

// An access that is checked.
struct Accessor {
    EntriesHead *head;
    Launch launch;
    u64 me;
    // The lanes that make the access together.
    u32 lanes;
    u32 how;

    __device__ __forceinline__ bool writes() const { return how & WRITES; }
    __device__ __forceinline__ bool is_in_shared() const { return how & IN_SHARED; }
};

// Of a location that several have read, the entry has the newest only. Who was there before is kept beside, for reports, as long as there is room.
struct Witness {
    u64 location, entry;
};

// In what is told of a pair: the entry was that of updates. The host does not get it.
constexpr u32 OF_UPDATES = 1u << 8;

// Shared memory of blocks lies at the same addresses, and who read is not who updated.
static __device__ __forceinline__ u64 location_of(const Accessor &who, u64 address, u32 more) {
    u64 location = who.is_in_shared() ? 1ull << 63 | (u64)who.launch.block_of(who.me) << 32 | (u32)address : address;
    return more & OF_UPDATES ? location | 1ull << 62 : location;
}

static __device__ __forceinline__ Witness *witness_of(const Accessor &who, u64 location) {
    u32 number = (u32)(location * 0x9E3779B97F4A7C15ull >> (64 - who.head->witness_bits));
    return (Witness *)who.head->witnesses + number;
}

static __device__ __forceinline__ void keep_witness(const Accessor &who, u64 address, u64 entry, u32 more) {
    u64 location = location_of(who, address, more);
    volatile Witness *witness = witness_of(who, location);
    witness->entry = entry;
    witness->location = location;
}

static __device__ __forceinline__ u64 accessor_of(const Launch &launch, u64 entry) {
    u64 warp = (u64)launch.block_of(entry) * launch.warps_per_block() + warp_of(entry);
    return warp << REPORTED_WARP | (u64)lane_of(entry) << REPORTED_LANE;
}

// The entry of one word of a line: shapes stand where words have lanes. A shape is the bytes of a lane as a power of two, less 2, and the first lane in
// eighths.
static __device__ __forceinline__ u64 of_word(u64 line, u32 word) {
    u32 shape = lane_of(line), lane = (word >> (shape & 3)) + (shape >> 2) * 8;
    return (line & ~LANE_BITS) | (u64)lane << LANE_PLACE;
}

// Reports a pair. `entry` was there before `me`.
extern "C" __device__ __noinline__ void ws_hb_tell(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 entry, u64 me, u32 more) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how};
    const Launch &launch = who.launch;
    u64 single = entry & ~LEVEL;
    if (!(more & ORDERED_ANYWAY) && (entry & LEVEL) && !is_unordered(launch, single, me)) {
        // The newest is ordered with the access, and some other one is not. It was there when the location was of a byte, a word or a line.
        bool is_known = false;
        for (u64 bytes = 1; bytes <= 128 && !is_known; bytes = bytes == 1 ? 4 : bytes * 32) {
            u64 location = location_of(who, address & ~(bytes - 1), more);
            volatile Witness *witness = witness_of(who, location);
            u64 other = witness->entry & ~LEVEL;
            if (witness->location != location || launch.is_old(other)) continue;
            if (bytes == 128) other = of_word(other, (u32)address / 4 % 32);
            if (!is_unordered(launch, other, me)) continue;
            single = other;
            is_known = true;
        }
        if (!is_known) return note_gap(who.head, GAP_WITNESSES);
    }
    bool same_block = launch.block_of(single) == launch.block_of(me), same_warp = same_block && warp_of(single) == warp_of(me);
    u32 rule = (same_warp ? IN_A_WARP : same_block ? IN_A_BLOCK : IN_A_GRID) | (more & ~OF_UPDATES) | (who.is_in_shared() ? OF_SHARED : 0);
    if (same_warp && (who.lanes >> lane_of(single) & 1)) rule |= LANE_IS_HERE;
    Report race = {};
    race.address = address;
    race.accessor = accessor_of(launch, me);
    race.previous = accessor_of(launch, single);
    race.site = site_of(me);
    race.previous_site = site_of(single);
    race.rule = rule;
    race.mask = who.lanes;
    race.launch = launch.launch();
    race.variant = launch.variant();
    ws_report((Reports *)who.head->reports, race);
}

// Whether epochs do not say if two accesses of a warp are ordered: they were used again.
static __device__ __forceinline__ bool is_undecided(u64 entry, u64 me) {
    return ((entry | me) & WRAPPED) && same_epoch(entry, me) && ((entry & LEVEL) == LANES || ((entry ^ me) & LANE_BITS));
}

// Compares an entry of this launch with an access that conflicts with it.
extern "C" __device__ __noinline__ void ws_hb_judge(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 entry, u64 me, u32 more) {
    Launch launch = {base, count, names};
    if (is_unordered(launch, entry, me)) {
        if (is_undecided(entry, me)) return note_gap((EntriesHead *)head, GAP_EPOCHS);
        return ws_hb_tell(head, base, count, names, lanes, how, address, entry, me, more);
    }
    // What came by the read-only path is not ordered by anything.
    if ((entry | me) & READ_ONLY_PATH) ws_hb_tell(head, base, count, names, lanes, how, address, entry, me, more | ORDERED_ANYWAY);
}

// Compares an entry that was found with an access that conflicts with it.
static __device__ __forceinline__ void judge(const Accessor &who, u64 address, u64 entry, u64 me, u32 more) {
    const Launch &launch = who.launch;
    // Who has no identity left is not checked.
    if (launch.is_old(entry) || launch.is_old(me)) return;
    ws_hb_judge((u64)who.head, launch.base, launch.count, launch.names, who.lanes, who.how, address, entry, me, more);
}
