// Locations of hb on the device: a word or a byte of memory, its writer and its reader.
#pragma once
#include "hb_judge.h"

// What a store writes. No bytes where that is not known.
struct Stored {
    u64 value;
    u32 bytes;
};

// In an updater's entry: it did not get the value that was there.
constexpr u64 NOT_RETURNED = 1;

// Joins the readers, or the updaters, of a location. What was there before; `IN_PARTS` if it is kept in smaller parts.
static __device__ __forceinline__ u64 join(const Accessor &who, u64 address, u64 place, u32 more, u64 witness) {
    u64 found = read_entry(place);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (is_in_parts(found)) return found;
        u64 wanted = joined(who.launch, found, who.me);
        if (more && wanted == found) wanted = who.me | (found & LEVEL);
        if (wanted == found) return found;
        u64 now = swap_entry(place, found, wanted);
        if (now == found) {
            if (wanted & LEVEL) keep_witness(who, address, found, more, witness);
            return found;
        }
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return found;
}

// A read of a location. Whether it is kept in smaller parts, and nothing was done.
extern "C" __device__ __noinline__ u32 ws_hb_read(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 writers, u64 readers,
                                                  u64 witness, u64 me) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how};
    u64 before = join(who, address, readers, 0, witness);
    if (is_in_parts(before)) return true;
    u64 writer = read_entry_after(writers, before);
    judge(who, address, writer, me, 0, 0);
    // Who wrote and who read just before may not have seen each other.
    if (!who.launch.is_old(before) && !who.launch.is_old(writer) && !same_epoch(before, me)) judge(who, address, writer, before & ~LEVEL, 0, 0);
    return false;
}

static __device__ __forceinline__ bool read_location(const Accessor &who, u64 address, const Location &place) {
    return ws_hb_read((u64)who.head, who.launch.base, who.launch.count, who.launch.names, who.lanes, who.how, address, place.writer, place.reader, place.witness,
                      who.me);
}

// Compares a store with the writer that it has replaced. All lanes of the instruction come here.
static __device__ __forceinline__ void judge_writers(const Accessor &who, u64 address, u64 before, const Stored &stored) {
    // Another lane of the same instruction stores to the same place.
    u64 other = __shfl_sync(who.lanes, stored.value, lane_of(before)), place = __shfl_sync(who.lanes, address, lane_of(before));
    bool is_here = (who.lanes >> lane_of(before) & 1) && place == address;
    bool is_together = is_here && same_epoch(before, who.me) && site_of(before) == site_of(who.me);
    if (who.launch.is_old(before) || !is_unordered(who.launch, before, who.me)) return;
    // What another instruction has stored is not known here: memory may have it, or not yet.
    bool is_same = is_together && stored.bytes != 0 && other == stored.value;
    judge(who, address, before, who.me, (is_same ? SAME_VALUE : 0) | (is_together ? ONE_INSTRUCTION : 0), 0);
}

// A write of a location. What was the writer in its place: somebody who parts the location just now may not have seen it. `IN_PARTS` is set if it is
// kept in smaller parts.
extern "C" __device__ __noinline__ u64 ws_hb_write(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 writers, u64 readers,
                                                   u64 witness, u64 me, u64 value, u32 value_bytes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how};
    u64 before = exchange_entry(writers, me);
    u64 reader = read_entry_after(readers, before);
    // What is in parts has its writers there.
    bool in_parts = is_in_parts(reader);
    judge_writers(who, address, in_parts ? 0 : before, {value, value_bytes});
    if (in_parts) return before | IN_PARTS;
    judge(who, address, reader, me, 0, witness);
    // Who wrote and who read just before may not have seen each other.
    if (!who.launch.is_old(before) && !who.launch.is_old(reader) && !same_epoch(before, me)) judge(who, address, before & ~LEVEL, reader & ~LEVEL, 0, 0);
    return before;
}

static __device__ __forceinline__ bool write_location(const Accessor &who, u64 address, const Location &place, const Stored &stored, u64 &before) {
    u64 found = ws_hb_write((u64)who.head, who.launch.base, who.launch.count, who.launch.names, who.lanes, who.how, address, place.writer, place.reader, place.witness, who.me,
                            stored.value, stored.bytes);
    before = found & ~IN_PARTS;
    return is_in_parts(found);
}

// An atomic update of a location. Updates do not race with each other.
static __device__ __forceinline__ void update_location(const Accessor &who, u64 address, const Location &place) {
    Accessor updater = who;
    if (who.how & RETURNS_NOTHING) updater.me |= NOT_RETURNED;
    u64 before = join(updater, address, place.updater, OF_UPDATES, 0);
    judge(who, address, read_entry_after(place.writer, before), who.me, 0, 0);
    judge(who, address, read_entry_after(place.reader, before), who.me, 0, place.witness);
}

// Compares an access that is no update with those who updated.
static __device__ __forceinline__ void judge_updates(const Accessor &who, u64 address, const Location &place) {
    u64 updater = read_entry(place.updater);
    if (who.launch.is_old(updater)) return;
    // Who updated last, and got the value that was there, is after all others.
    if (!(updater & NOT_RETURNED)) updater &= ~LEVEL;
    judge(who, address, updater & ~NOT_RETURNED, who.me, OF_UPDATES, 0);
}
