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
    __device__ __forceinline__ bool has_volatile() const { return is_in_shared() && (how & HAS_VOLATILE); }
};

// In what is told of a pair: the entry was that of updates. The host does not get it.
constexpr u32 OF_UPDATES = 1u << 8;

static __device__ __forceinline__ void put_site(u64 place, u64 entry) {
    asm volatile("st.b16 [%0], %1;" ::"l"(place), "h"((u16)site_of(entry)) : "memory");
}

// Of a location that several have read, the entry has the newest only. The site of another one is kept beside, for reports, before others see that there are
// several. From then on it stays: it is right for every higher level, too, and others may be reading it for this one. An entry of several lanes that takes the
// place of others has them in the same instruction.
static __device__ __forceinline__ void keep_site(u64 place, u64 before, u64 wanted, u64 me) {
    bool is_own = (wanted & ~WRITTEN) == me;
    if ((wanted & LEVEL) && (is_own || !(before & LEVEL))) put_site(place, is_own ? me : before);
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
    bool is_another = !(more & ORDERED_ANYWAY) && (entry & LEVEL) && !is_unordered(launch, single, me);
    if (who.has_volatile()) {
        // Of several volatile stores that came before, the newest only is known.
        if (more & ORDERED_ANYWAY) {
            if (!(me & IS_VOLATILE)) note_gap(who.head, GAP_WITNESSES);
            return;
        }
        // Of weak accesses beside volatile ones it is not known which they were; and who has seen a volatile store is after it at this location.
        bool is_volatile = entry & IS_VOLATILE;
        if ((me & IS_VOLATILE) && (is_volatile || is_another) && ((entry | me) & WEAK_TOO)) return note_gap(who.head, GAP_WITNESSES);
        bool may_be_seen = place == 0 && is_volatile && (how & HAS_VOLATILE_LOADS);
        if (may_be_seen && !(me & IS_VOLATILE)) return note_gap(who.head, GAP_OBSERVED);
    }
    if (is_another) {
        // The newest is ordered with the access, and some other one is not.
        if (!(more & OF_UPDATES)) {
            site = *(volatile u16 *)place;
            more |= BY_ANOTHER;
        } else {
            // Of updates the whole entry is kept, just behind the level. It is another than the newest, who may be another one by now.
            bool is_known = false;
            for (u32 attempt = 0; attempt < 2 * MOST_ATTEMPTS && !is_known; attempt++) {
                single = read_entry(attempt % 2 == 0 ? place : place - 8) & ~(LEVEL | NOT_RETURNED);
                is_known = !launch.is_old(single) && is_unordered(launch, single, me);
                if (!is_known) __nanosleep(100);
            }
            if (!is_known) return note_gap(who.head, GAP_WITNESSES);
            site = site_of(single);
        }
    }
    bool same_block = launch.block_of(single) == launch.block_of(me), same_warp = same_block && warp_of(single) == warp_of(me);
    if (more & BY_ANOTHER) same_block = (entry & LEVEL) != BLOCKS, same_warp = (entry & LEVEL) == LANES;
    u32 rule = (same_warp ? IN_A_WARP : same_block ? IN_A_BLOCK : IN_A_GRID) | (more & ~OF_UPDATES) | (who.is_in_shared() ? OF_SHARED : 0);
    if (same_warp && (who.lanes >> lane_of(single) & 1)) rule |= LANE_IS_HERE;
    // One lane reads for all: the one that is named is another than the writer.
    if (me & LEVEL) me = (me & ~LANE_BITS) | (u64)(lane_of(single) == 0) << LANE_PLACE;
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

// Whether epochs do not say if two accesses are ordered that seem not to be: they are of one warp, and epochs were used again.
static __device__ __forceinline__ bool is_undecided(const Launch &launch, u64 entry, u64 me) {
    if (identity_of(entry) != identity_of(me) || ((entry ^ me) & WARP_BITS) || (entry & LEVEL) >= WARPS) return false;
    bool is_whole_epoch = launch.epoch_in_common<false>(entry, me) == EPOCH;
    return (is_whole_epoch && ((entry | me) & WRAPPED)) || (launch.has_whole() && (me & WHOLE_WRAPPED));
}

// Compares an entry of this launch with an access that conflicts with it.
extern "C" __device__ __noinline__ void ws_hb_judge(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 entry, u64 me, u32 more,
                                                    u64 place) {
    Launch launch = {base, count, names};
    if (is_unordered(launch, entry, me)) {
        if (is_undecided(launch, entry, me)) return note_gap((EntriesHead *)head, GAP_EPOCHS);
        return ws_hb_tell(head, base, count, names, lanes, how, address, entry, me, more, place);
    }
    // What came by the read-only path is not ordered by anything, and nothing is after a copy that is pending.
    if ((entry | me) & READ_ONLY_PATH) ws_hb_tell(head, base, count, names, lanes, how, address, entry, me, more | ORDERED_ANYWAY, place);
}

// Compares an entry that was found with an access that conflicts with it.
static __device__ __forceinline__ void judge(const Accessor &who, u64 address, u64 entry, u64 me, u32 more, u64 place) {
    const Launch &launch = who.launch;
    // Who has no identity left is not checked.
    if (launch.is_old(entry) || launch.is_old(me)) return;
    ws_hb_judge((u64)who.head, launch.base, launch.count, launch.names, who.lanes, who.how, address, entry, me, more, place);
}
