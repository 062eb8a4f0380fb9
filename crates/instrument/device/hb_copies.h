// Asynchronous copies of a thread from global to shared memory. A copy writes from when it begins until its thread has waited for it: until then nothing is after it,
// and its entries are pending. Then they become entries of a write at that moment. So a thread keeps where it has copied to, in its local memory.
#pragma once
#include "hb_locations.h"

// One copy: where it writes (an offset in shared memory below, its bytes above), and its instruction with the group that it belongs to above.
struct PendingCopy {
    u32 place, site_and_group;
};
constexpr u32 COPY_BYTES = 20, COPY_GROUP = 12, GROUPS = (1u << (32 - COPY_GROUP)) - 1;

struct Copies {
    // How many were begun, how many of these were waited for, and the group that is open.
    u32 begun, settled, group, unused;
    PendingCopy all[MOST_PENDING];
};
static_assert(sizeof(Copies) == PENDING_BYTES, "as the host has it");

// Where shared memory has its entries: where the block's own memory begins, how large it is, and the shifts of a granule and of its entries.
struct SharedPlaces {
    u32 start, stride, shifts;

    __device__ __forceinline__ u32 granule() const { return 1u << (shifts & 0xFF); }
    __device__ __forceinline__ Location at(u32 address) const {
        u32 granule_shift = shifts & 0xFF, entry_shift = shifts >> 8, first = address - start >> granule_shift;
        u32 entries = start + stride, sites = entries + (stride >> granule_shift << entry_shift);
        u64 place = (u64)__cvta_shared_to_generic(entries + (first << entry_shift));
        return {place, place + 8, place + 16, (u64)__cvta_shared_to_generic(sites + first * 2)};
    }
};

// A copy begins. All lanes of the instruction come here.
static __device__ __forceinline__ void begin_copy(const Accessor &who, const SharedPlaces &places, u32 address, Copies *copies) {
    bool is_full = copies->begun - copies->settled >= MOST_PENDING;
    u32 kept = lanes_of(who.me, __ballot_sync(who.lanes, !is_full));
    if (is_full) return note_gap(who.head, GAP_COPIES);
    u32 bytes = who.how >> BYTES_PLACE;
    copies->all[copies->begun++ % MOST_PENDING] = {(address - places.start) | bytes << COPY_BYTES, site_of(who.me) | copies->group << COPY_GROUP};
    Accessor copier = who;
    copier.lanes = kept;
#pragma unroll 1
    for (u32 at = address; at < address + bytes; at += places.granule()) {
        Location location = places.at(at);
        enter_writer(copier, at, location, {0, 0}, PENDING);
        if (who.how & HAS_UPDATES) judge_updates(copier, at, location);
    }
}

// The thread has waited for its copies but those of the last groups. Who has written to the same place since has found the copy pending.
static __device__ __forceinline__ void settle_copies(const Launch &launch, u64 self, const SharedPlaces &places, Copies *copies, u32 groups_left) {
#pragma unroll 1
    for (; copies->settled != copies->begun; copies->settled++) {
        PendingCopy copy = copies->all[copies->settled % MOST_PENDING];
        u32 site = copy.site_and_group & ((1u << COPY_GROUP) - 1), groups = copies->group - (copy.site_and_group >> COPY_GROUP) & GROUPS;
        if (groups_left != ~0u && groups <= groups_left) return;
        u32 address = places.start + (copy.place & ((1u << COPY_BYTES) - 1)), end = address + (copy.place >> COPY_BYTES);
        u64 wanted = self | (u64)site << SITE_PLACE;
        for (; address < end; address += places.granule()) {
            u64 writer = places.at(address).writer, found = read_entry(writer);
            bool is_own = (found & PENDING) && !launch.is_old(found) && ((found ^ wanted) & (WARP_BITS | LANE_BITS | SITE)) == 0;
            if (is_own) swap_entry(writer, found, wanted);
        }
    }
}
