// Locations of hb on the device: a word or a byte of memory, its writer and its reader.
#pragma once
#include "hb_judge.h"

// What a store writes, and where, by a generic address. No bytes where the value is not known.
struct Stored {
    u64 value, memory;
    u32 bytes;
};

// Whether memory has these bytes already.
static __device__ __forceinline__ bool is_there(const Stored &stored) {
    switch (stored.bytes) {
    case 1: return *(volatile u8 *)stored.memory == (u8)stored.value;
    case 2: return *(volatile u16 *)stored.memory == (u16)stored.value;
    case 4: return *(volatile u32 *)stored.memory == (u32)stored.value;
    case 8: return *(volatile u64 *)stored.memory == stored.value;
    default: return false;
    }
}

constexpr u64 WRITER = 0, READER = 8, UPDATER = 16;
// In an updater's entry: it did not get the value that was there.
constexpr u64 NOT_RETURNED = 1;

// Joins the readers, or the updaters, of a location. What was there before; `IN_PARTS` if it is kept in smaller parts.
static __device__ __forceinline__ u64 join(const Accessor &who, u64 address, u64 place, u32 more) {
    u64 found = read_entry(place);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (is_in_parts(found)) return found;
        u64 wanted = joined(who.launch, found, who.me);
        if (more && wanted == found) wanted = who.me | (found & LEVEL);
        if (wanted == found) return found;
        u64 now = swap_entry(place, found, wanted);
        if (now == found) {
            if (wanted & LEVEL) keep_witness(who, address, found, more);
            return found;
        }
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return found;
}

// A read of a location. Whether it is kept in smaller parts, and nothing was done.
static __device__ __forceinline__ bool read_location(const Accessor &who, u64 address, u64 place) {
    u64 before = join(who, address, place + READER, 0);
    if (is_in_parts(before)) return true;
    u64 writer = read_entry_after(place + WRITER, before);
    judge(who, address, writer, who.me, 0);
    // Who wrote and who read just before may not have seen each other.
    if (!who.launch.is_old(before) && !who.launch.is_old(writer) && !same_epoch(before, who.me)) judge(who, address, writer, before & ~LEVEL, 0);
    return false;
}

// Compares a store with the writer that it has replaced. `seen` was there when all lanes of the instruction were about to store. All lanes come here.
static __device__ __forceinline__ void judge_writers(const Accessor &who, u64 address, u64 before, u64 seen, const Stored &stored) {
    // Another lane of the same instruction was faster.
    bool is_together = before != seen && same_epoch(before, who.me) && site_of(before) == site_of(who.me);
    u64 other = __shfl_sync(who.lanes, stored.value, lane_of(before));
    if (who.launch.is_old(before) || !is_unordered(who.launch, before, who.me)) return;
    bool is_same = is_together ? stored.bytes != 0 && other == stored.value : is_there(stored);
    judge(who, address, before, who.me, (is_same ? SAME_VALUE : 0) | (is_together ? ONE_INSTRUCTION : 0));
}

// A write of a location. Whether it is kept in smaller parts; then `before` was the writer in its place, which somebody who parts it just now may not
// have seen.
static __device__ __forceinline__ bool write_location(const Accessor &who, u64 address, u64 place, const Stored &stored, u64 &before) {
    u64 seen = read_entry(place + WRITER);
    __syncwarp(who.lanes);
    before = exchange_entry(place + WRITER, who.me);
    u64 reader = read_entry_after(place + READER, before);
    // What is in parts has its writers there.
    bool in_parts = is_in_parts(reader);
    judge_writers(who, address, in_parts ? 0 : before, seen, stored);
    if (in_parts) return true;
    judge(who, address, reader, who.me, 0);
    // Who wrote and who read just before may not have seen each other.
    if (!who.launch.is_old(before) && !who.launch.is_old(reader) && !same_epoch(before, who.me)) judge(who, address, before & ~LEVEL, reader & ~LEVEL, 0);
    return false;
}

// An atomic update of a location. Updates do not race with each other.
static __device__ __forceinline__ void update_location(const Accessor &who, u64 address, u64 place) {
    Accessor updater = who;
    if (who.how & RETURNS_NOTHING) updater.me |= NOT_RETURNED;
    u64 before = join(updater, address, place + UPDATER, OF_UPDATES);
    judge(who, address, read_entry_after(place + WRITER, before), who.me, 0);
    judge(who, address, read_entry_after(place + READER, before), who.me, 0);
}

// Compares an access that is no update with those who updated.
static __device__ __forceinline__ void judge_updates(const Accessor &who, u64 address, u64 place) {
    u64 updater = read_entry(place + UPDATER);
    if (who.launch.is_old(updater)) return;
    // Who updated last, and got the value that was there, is after all others.
    if (!(updater & NOT_RETURNED)) updater &= ~LEVEL;
    judge(who, address, updater & ~NOT_RETURNED, who.me, OF_UPDATES);
}
