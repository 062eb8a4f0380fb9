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

// Of a location that several have read, the entry has the newest only. Where one was before is kept beside, for reports; in shared memory, as long as there
// is room.
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

static __device__ __forceinline__ void keep_witness(const Accessor &who, u64 address, u64 entry, u32 more, u64 place) {
    if (place != 0) {
        asm volatile("st.b16 [%0], %1;" ::"l"(place), "h"((u16)site_of(entry)) : "memory");
        return;
    }
    u64 location = location_of(who, address, more);
    volatile Witness *witness = witness_of(who, location);
    witness->entry = entry;
    witness->location = location;
}

static __device__ __forceinline__ u64 accessor_of(const Launch &launch, u64 entry) {
    u64 warp = (u64)launch.block_of(entry) * launch.warps_per_block() + warp_of(entry);
    return warp << REPORTED_WARP | (u64)lane_of(entry) << REPORTED_LANE;
}

// Reports a pair. `entry` was there before `me`.
extern "C" __device__ __noinline__ void ws_hb_tell(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 entry, u64 me, u32 more,
                                                   u64 place) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how};
    const Launch &launch = who.launch;
    u32 site = site_of(entry);
    u64 single = entry & ~LEVEL;
    if (!(more & ORDERED_ANYWAY) && (entry & LEVEL) && !is_unordered(launch, single, me)) {
        // The newest is ordered with the access, and some other one is not.
        if (place != 0) {
            site = *(volatile u16 *)place;
            more |= BY_ANOTHER;
        } else {
            u64 location = location_of(who, address, more);
            volatile Witness *witness = witness_of(who, location);
            u64 other = 0;
            // It is kept just behind the level.
            bool is_known = false;
            for (u32 attempt = 0; attempt < MOST_ATTEMPTS && !is_known; attempt++) {
                other = witness->entry & ~LEVEL;
                is_known = witness->location == location && !launch.is_old(other) && is_unordered(launch, other, me);
                if (!is_known) __nanosleep(100);
            }
            if (!is_known) return note_gap(who.head, GAP_WITNESSES);
            single = other;
            site = site_of(other);
        }
    }
    bool same_block = launch.block_of(single) == launch.block_of(me), same_warp = same_block && warp_of(single) == warp_of(me);
    if (more & BY_ANOTHER) same_block = (entry & LEVEL) != BLOCKS, same_warp = (entry & LEVEL) == LANES;
    u32 rule = (same_warp ? IN_A_WARP : same_block ? IN_A_BLOCK : IN_A_GRID) | (more & ~OF_UPDATES) | (who.is_in_shared() ? OF_SHARED : 0);
    if (same_warp && (who.lanes >> lane_of(single) & 1)) rule |= LANE_IS_HERE;
    Report race = {};
    race.address = address;
    race.accessor = accessor_of(launch, me);
    race.previous = accessor_of(launch, single);
    race.site = site_of(me);
    race.previous_site = site;
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
extern "C" __device__ __noinline__ void ws_hb_judge(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 entry, u64 me, u32 more,
                                                    u64 place) {
    Launch launch = {base, count, names};
    if (is_unordered(launch, entry, me)) {
        if (is_undecided(entry, me)) return note_gap((EntriesHead *)head, GAP_EPOCHS);
        return ws_hb_tell(head, base, count, names, lanes, how, address, entry, me, more, place);
    }
    // What came by the read-only path is not ordered by anything.
    if ((entry | me) & READ_ONLY_PATH) ws_hb_tell(head, base, count, names, lanes, how, address, entry, me, more | ORDERED_ANYWAY, place);
}

// Compares an entry that was found with an access that conflicts with it.
static __device__ __forceinline__ void judge(const Accessor &who, u64 address, u64 entry, u64 me, u32 more, u64 place) {
    const Launch &launch = who.launch;
    // Who has no identity left is not checked.
    if (launch.is_old(entry) || launch.is_old(me)) return;
    ws_hb_judge((u64)who.head, launch.base, launch.count, launch.names, who.lanes, who.how, address, entry, me, more, place);
}
