// Locations of hb on the device that have a writer and a reader side by side: bytes of global memory, and granules of shared memory.
#pragma once
#include "hb_judge.h"

// What a store writes. No bytes where that is not known.
struct Stored {
    u64 value;
    u32 bytes;
};

// Where there are volatile accesses: an entry that is about to be replaced, or joined, leaves behind whether it stood for weak ones.
static __device__ __forceinline__ u64 with_weak(const Accessor &who, u64 found, u64 wanted) {
    if (!who.has_volatile()) return wanted;
    bool is_there = identity_of(found) == identity_of(who.me), was_weak = is_there && (!(found & IS_VOLATILE) || (found & WEAK_TOO));
    return (wanted & ~WEAK_TOO) | (was_weak || !(who.me & IS_VOLATILE) ? WEAK_TOO : 0);
}

// The same of a writer, whose entry says, too, whether it has replaced volatile stores of others: a weak access that it is in order with may race with those.
static __device__ __forceinline__ u64 with_others(const Accessor &who, u64 found, u64 wanted) {
    bool are_both = identity_of(found) == identity_of(who.me) && (found & who.me & IS_VOLATILE);
    bool are_several = are_both && ((found & SEVERAL_VOLATILE) || is_unordered(who.launch, found, who.me));
    return with_weak(who, found, wanted) | (are_several ? SEVERAL_VOLATILE : 0);
}

// Joins the readers of a location. What was there before.
static __device__ __forceinline__ u64 join_readers(const Accessor &who, u64 place, u64 witness) {
    u64 found = read_entry(place);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        u64 wanted = with_weak(who, found, joined(who.launch, found, who.me));
        if (wanted == found) return found;
        keep_site(witness, found, wanted, who.me);
        u64 now = swap_entry(place, found, wanted);
        if (now == found) return found;
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return found;
}

// Whether two updates are of different blocks, or of an interval and different warps, or lanes, as the level has it.
static __device__ __forceinline__ bool are_apart(const Launch &launch, u64 one, u64 other, u64 level) {
    if (level == BLOCKS) return launch.block_of(one) != launch.block_of(other);
    if (level == LANES && launch.is_of_tiles(one)) return !launch.are_in_one_tile(one, other);
    return (one ^ other) & (level == WARPS ? WARP_BITS : LANE_BITS);
}

// Whether another updater is of the warp and the epoch that the newest one with a level stands for.
static __device__ __forceinline__ bool are_of_one_epoch(const Launch &launch, u64 newest, u64 other) {
    if (!launch.is_of_tiles(newest)) return same_epoch(other, newest);
    return (((newest ^ other) & ((EPOCH & ~launch.epoch_of_tile()) | WARP_BITS)) | (identity_of(newest) ^ identity_of(other))) == 0;
}

// Whether an entry with a level stands for several, and this is another one of them than the newest.
static __device__ __forceinline__ bool is_another(const Launch &launch, u64 newest, u64 other) {
    u64 level = newest & LEVEL;
    bool is_there = level == BLOCKS ? !launch.is_old(other) : level == WARPS ? identity_of(other) == identity_of(newest) : are_of_one_epoch(launch, newest, other);
    return is_there && are_apart(launch, newest, other, level);
}

// Keeps an updater behind the newest one which that does not stand for: who was there before, or who came. Others may have come since, and have kept theirs,
// which is put back where it is the only right one.
static __device__ __forceinline__ void keep_updater(const Launch &launch, u64 place, u64 found, u64 me) {
    u64 kept = 0, replaced = 0;
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        u64 newest = read_entry(place);
        u64 other = is_another(launch, newest, found) ? found : is_another(launch, newest, me) ? me : replaced;
        if (other == kept || !is_another(launch, newest, other)) return;
        u64 before = exchange_entry(place + 8, other);
        if (before != kept) replaced = before;
        kept = other;
    }
}

// Joins the updaters of a location; the newest is always in its entry, and behind it one that it does not stand for, where there are several.
static __device__ __forceinline__ u64 join_updaters(const Accessor &who, u64 place) {
    u64 found = read_entry(place);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        u64 wanted = joined(who.launch, found, who.me);
        if (wanted == found) wanted = who.me | (found & LEVEL) | (who.launch.is_of_tiles(found) ? who.launch.epoch_of_tile() : 0);
        u64 now = swap_entry(place, found, wanted);
        if (now == found) {
            u64 level = wanted & LEVEL;
            if (level == 0 || !are_apart(who.launch, wanted, found, level)) return found;
            keep_updater(who.launch, place, found, who.me);
            return found;
        }
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return found;
}

// Compares a read with the writer. It has joined the readers who were there before.
static __device__ __forceinline__ void judge_read(const Accessor &who, u64 address, u64 before, u64 writers) {
    u64 writer = read_entry_after(writers, before);
    judge(who, address, writer, who.me, 0, 0);
    // Who wrote and who read just before may not have seen each other.
    if (!who.launch.is_old(before) && !who.launch.is_old(writer) && !same_epoch(before, who.me)) judge(who, address, writer & ~PENDING, before & ~LEVEL, 0, 0);
}

// A read of a location.
extern "C" __device__ __noinline__ void ws_hb_read(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 writers, u64 readers,
                                                   u64 witness, u64 me) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how};
    judge_read(who, address, join_readers(who, readers, witness), writers);
}

static __device__ __forceinline__ void read_location(const Accessor &who, u64 address, const Location &place) {
    ws_hb_read((u64)who.head, who.launch.base, who.launch.count, who.launch.names, who.lanes, who.how, address, place.writer, place.reader, place.witness, who.me);
}

// Compares a store with the writer that it has replaced. All lanes of the instruction come here.
static __device__ __forceinline__ void judge_writers(const Accessor &who, u64 address, u64 before, const Stored &stored) {
    // Another lane of the same instruction stores to the same place.
    u64 other = __shfl_sync(who.lanes, stored.value, lane_of(before)), place = __shfl_sync(who.lanes, address, lane_of(before));
    bool is_here = (who.lanes >> lane_of(before) & 1) && place == address;
    bool is_together = is_here && same_epoch(before, who.me) && site_of(before) == site_of(who.me);
    if (who.launch.is_old(before) || !((before & PENDING) || is_unordered(who.launch, before, who.me))) return;
    // What another instruction has stored is not known here: memory may have it, or not yet.
    bool is_same = is_together && stored.bytes != 0 && other == stored.value;
    judge(who, address, before, who.me, (is_same ? SAME_VALUE : 0) | (is_together ? ONE_INSTRUCTION : 0), 0);
}

// Replaces the writer of a location. Who was there before.
static __device__ __forceinline__ u64 replace_writer(const Accessor &who, u64 place, u64 wanted) {
    if (!who.has_volatile()) return exchange_entry(place, wanted);
    u64 found = read_entry(place);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        u64 now = swap_entry(place, found, with_others(who, found, wanted));
        if (now == found) return found;
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return exchange_entry(place, wanted);
}

// Compares a write with the writer that it has replaced, and then with the reader. All lanes of the instruction come here.
static __device__ __forceinline__ void judge_write(const Accessor &who, u64 address, u64 before, u64 reader, u64 witness, const Stored &stored) {
    judge_writers(who, address, before, stored);
    judge(who, address, reader, who.me, 0, witness);
    // Who wrote and who read just before may not have seen each other.
    bool are_there = !who.launch.is_old(before) && !who.launch.is_old(reader);
    if (are_there && !same_epoch(before, who.me)) judge(who, address, before & ~(LEVEL | PENDING), reader & ~LEVEL, 0, 0);
}

// Enters a writer, and compares it with those who were there. All lanes of the instruction come here.
static __device__ __forceinline__ void enter_writer(const Accessor &who, u64 address, const Location &place, const Stored &stored, u64 pending) {
    u64 before = replace_writer(who, place.writer, who.me | pending);
    judge_write(who, address, before, read_entry_after(place.reader, before), place.witness, stored);
}

// A write of a location.
extern "C" __device__ __noinline__ void ws_hb_write(u64 head, u32 base, u32 count, u64 names, u32 lanes, u32 how, u64 address, u64 writers, u64 readers,
                                                    u64 witness, u64 me, u64 value, u32 value_bytes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how};
    enter_writer(who, address, {writers, readers, 0, witness}, {value, value_bytes}, 0);
}

static __device__ __forceinline__ void write_location(const Accessor &who, u64 address, const Location &place, const Stored &stored) {
    ws_hb_write((u64)who.head, who.launch.base, who.launch.count, who.launch.names, who.lanes, who.how, address, place.writer, place.reader, place.witness, who.me,
                stored.value, stored.bytes);
}

// An atomic update of a location. Updates do not race with each other.
static __device__ __forceinline__ void update_location(const Accessor &who, u64 address, const Location &place) {
    Accessor updater = who;
    if (who.how & RETURNS_NOTHING) updater.me |= NOT_RETURNED;
    u64 before = join_updaters(updater, place.updater);
    judge(who, address, read_entry_after(place.writer, before), who.me, 0, 0);
    judge(who, address, read_entry_after(place.reader, before), who.me, 0, place.witness);
}

// Compares an access that is no update with those who updated.
static __device__ __forceinline__ void judge_updates(const Accessor &who, u64 address, const Location &place) {
    u64 updater = read_entry(place.updater);
    if (who.launch.is_old(updater)) return;
    // Who updated last, and got the value that was there, is after all others.
    if (!(updater & NOT_RETURNED)) updater &= ~LEVEL;
    judge(who, address, updater & ~NOT_RETURNED, who.me, OF_UPDATES, place.updater + 8);
}
