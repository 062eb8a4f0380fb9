// Asynchronous copies of threads from global to shared memory. A copy reads and writes from when it begins until its thread has waited for it: until then nothing
// is after it. What it writes has entries that are pending; then they become entries of a write at that moment. What it reads is looked at again then: who has
// written there since was too early. So a thread keeps its copies in its local memory.
#pragma once
#include "hb_lines.h"

// One copy: where it writes (an offset in shared memory), the power of two of its bytes, less 2, and its instruction; its group, how many bytes it reads, whether its
// thread had written there since its last barrier, and by which instruction; and what it reads, with the lowest bits of when that was.
struct PendingCopy {
    u32 place_and_site, group_and_source;
    u64 source_and_begin;
};
constexpr u32 COPY_SHAPE = 18, COPY_SITE = 20, COPY_READ = 12, COPY_OWN = 17, COPY_OWN_SITE = 20, GROUPS = (1u << COPY_READ) - 1;
constexpr u32 COPY_EPOCH = 48, COPY_INTERVAL = 55, INTERVALS_BACK = (1u << (64 - COPY_INTERVAL)) - 1;
// What a thread has written itself of what a copy reads: nothing; by one instruction; or by one that it may come to again, or nobody knows.
constexpr u32 OWN_NONE = 0, OWN_WRITE = 1, OWN_UNKNOWN = 2;
// Beside the bytes that are read: the copy is in a loop.
constexpr u32 IN_A_LOOP = 32;

struct Copies {
    // How many were begun, how many of these were waited for, and the group that is open.
    u32 begun, settled, group, unused;
    PendingCopy all[MOST_PENDING];
};
static_assert(sizeof(Copies) == PENDING_BYTES, "as the host has it");

// Behind the block's own shared memory, where its entries are in a slot of global memory: the slot's entries, whether it is taken, and how many threads have left.
struct SlotWords {
    u64 entries, taken;
    u32 left;
};

// Where shared memory has its entries: where the block's own memory begins, how large it is, and the shifts of a granule and of its entries, and above these
// whether they are in a slot.
struct SharedPlaces {
    u32 start, stride, shifts;

    __device__ __forceinline__ u32 granule_shift() const { return shifts & 0xFF; }
    __device__ __forceinline__ u32 entry_shift() const { return shifts >> 8 & 0xFF; }
    __device__ __forceinline__ u32 granule() const { return 1u << granule_shift(); }
    __device__ __forceinline__ u64 behind() const { return (u64)__cvta_shared_to_generic(start + stride); }
    __device__ __forceinline__ u64 entries() const { return shifts >> 8 & IN_SLOT ? ((const volatile SlotWords *)behind())->entries : behind(); }
    __device__ __forceinline__ Location at(u32 address) const {
        u32 first = address - start >> granule_shift();
        u64 all = entries(), place = all + (first << entry_shift());
        return {place, place + 8, place + 16, all + (stride >> granule_shift() << entry_shift()) + first * 2};
    }
};

// Asks for those who have written a byte last, or updated it.
template <typename Ask> static __device__ __forceinline__ void ask_of_byte(u64 address, const Location &byte, Ask ask) {
    ask(address, read_entry(byte.writer));
    u64 newest = read_entry(byte.updater);
    if (newest == 0) return;
    ask(address, newest & ~(LEVEL | NOT_RETURNED));
    if (newest & LEVEL) ask(address, read_entry_after(byte.updater + 8, newest) & ~(LEVEL | NOT_RETURNED));
}

// Asks who has written last, of each word or byte, or updated it. Whether that is sure: not while somebody parts their line.
template <typename Ask>
static __device__ __forceinline__ bool ask_writers(EntriesHead *head, const Launch &launch, u64 source, u32 bytes, Ask ask) {
    u64 chunk = chunk_of(head->shadow, source);
    // Memory that nobody was seen to allocate: the check of the read has named it.
    if (chunk == 0) return true;
    u64 place = line_in(chunk, source), writer = read_entry(place);
    bool is_whole = !is_in_parts(read_entry_after(place + 8, writer));
    if (is_whole && launch.is_old(writer)) return true;
    u64 page = is_whole ? 0 : read_entry(page_place(chunk, source));
#pragma unroll 1
    for (u32 offset = 0; offset < bytes; offset += WORD_BYTES) {
        u64 address = source + offset;
        if (is_whole) {
            ask(address, of_word(writer, (u32)address / WORD_BYTES % LINE_WORDS));
            continue;
        }
        Location word = word_at(page, address);
        u64 found = read_entry(word.reader);
        if (is_in_parts(found)) {
            u64 parted = brought_into_bytes({head, launch, 0, 0, 0}, address, page, found);
            if (parted == 0) continue;
#pragma unroll 1
            for (u32 byte = 0; byte < WORD_BYTES && offset + byte < bytes; byte++) ask_of_byte(address + byte, byte_at(bytes_of(head, parted), byte), ask);
        } else if (!launch.is_old(found)) {
            ask(address, writer_in(word, found));
        }
    }
    return is_whole || launch.is_old(writer);
}

// What this thread has written itself of what a copy reads, since its last barrier, and by which instruction, as a copy keeps it.
static __device__ __forceinline__ u32 own_writes(const Accessor &who, u64 source, u32 bytes_and_loop) {
    u32 own = OWN_NONE, site = 0;
    bool is_sure = ask_writers(who.head, who.launch, source, bytes_and_loop & 31, [&](u64, u64 writer) {
        if (who.launch.is_old(writer) || !same_epoch(writer, who.me) || ((writer ^ who.me) & LANE_BITS)) return;
        bool is_one = own == OWN_NONE || (own == OWN_WRITE && site == site_of(writer));
        own = is_one && !(bytes_and_loop & IN_A_LOOP) ? OWN_WRITE : OWN_UNKNOWN;
        site = site_of(writer);
    });
    return is_sure ? own << COPY_OWN | site << COPY_OWN_SITE : OWN_UNKNOWN << COPY_OWN;
}

// A copy begins. All lanes of the instruction come here.
static __device__ __forceinline__ void begin_copy(const Accessor &who, const SharedPlaces &places, u32 address, u64 source, u32 source_bytes, Copies *copies) {
    bool is_full = copies->begun - copies->settled >= MOST_PENDING;
    u32 kept = lanes_of(who.me, __ballot_sync(who.lanes, !is_full));
    if (is_full) return note_gap(who.head, GAP_COPIES);
    u32 bytes = who.how >> BYTES_PLACE;
    PendingCopy &copy = copies->all[copies->begun++ % MOST_PENDING];
    copy.place_and_site = (address - places.start) | (bytes >> 3) << COPY_SHAPE | site_of(who.me) << COPY_SITE;
    copy.group_and_source = (copies->group & GROUPS) | (source_bytes & 31) << COPY_READ | own_writes(who, source, source_bytes);
    copy.source_and_begin = source | (who.me >> EPOCH_PLACE & LAST_EPOCH) << COPY_EPOCH | (u64)identity_of(who.me) << COPY_INTERVAL;
    Accessor copier = who;
    copier.lanes = kept;
#pragma unroll 1
    for (u32 at = address; at < address + bytes; at += places.granule()) {
        Location location = places.at(at);
        enter_writer(copier, at, location, {0, 0}, PENDING);
        if (who.how & HAS_UPDATES) judge_updates(copier, at, location);
    }
}

// Compares a copy that is pending with who has written a word, or a byte, that it reads. Of who is in no order with its beginning, the usual checks tell.
static __device__ __forceinline__ void judge_source(const Accessor &reader, u64 address, u64 writer, u32 group_and_source) {
    const Launch &launch = reader.launch;
    u64 me = reader.me;
    if (launch.is_old(writer) || launch.block_of(writer) != launch.block_of(me)) return;
    if (identity_of(writer) == identity_of(me)) {
        if ((writer ^ me) & WARP_BITS) return;
        if (same_epoch(writer, me)) {
            if ((writer ^ me) & LANE_BITS) return;
            u32 own = group_and_source >> COPY_OWN & 3;
            if (own == OWN_UNKNOWN) return note_gap(reader.head, GAP_SOURCES);
            if (own == OWN_WRITE && site_of(writer) == group_and_source >> COPY_OWN_SITE) return;
        } else if ((writer & EPOCH) < (me & EPOCH)) {
            return;
        }
    } else if (identity_of(writer) < identity_of(me)) {
        return;
    }
    ws_hb_tell((u64)reader.head, launch.base, launch.count, launch.names, 0, 0, address, me, writer & ~(LEVEL | WRAPPED | READ_ONLY_PATH), ORDERED_ANYWAY, 0);
}

// A thread has waited for a copy: what that reads it has read until now, which is a read of its own to those who write later.
static __device__ __forceinline__ void read_until_now(const Accessor &who, u64 source, u32 bytes) {
    u64 chunk = chunk_of(who.head->shadow, source), me = who.me, place = chunk == 0 ? 0 : line_in(chunk, source);
    if (chunk == 0) return;
    u64 reader = read_entry(place + 8);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS && !is_in_parts(reader); attempt++) {
        bool is_there = !who.launch.is_old(reader), is_own = is_there && !(reader & LEVEL) && !((reader ^ me) & WARP_BITS);
        if (is_there && (reader & LEVEL) == BLOCKS) return;
        if (!is_own || who.launch.block_of(reader) != who.launch.block_of(me)) {
            part_line(who, source, place, 0);
            reader = read_entry(place + 8);
            continue;
        }
        // All lanes of the warp that have copied the line wait together.
        u64 wanted = (me & ~(LANE_BITS | READ_ONLY_PATH)) | (reader & LANE_BITS);
        if (same_epoch(reader, me)) return;
        u64 now = swap_entry(place + 8, reader, wanted);
        if (now == reader) return;
        reader = now;
    }
    if (!is_in_parts(reader)) return note_gap(who.head, GAP_CONTENDED);
    u64 page = read_entry(page_place(chunk, source));
#pragma unroll 1
    for (u32 offset = 0; offset < bytes; offset += WORD_BYTES) {
        u64 address = source + offset;
        const Launch &launch = who.launch;
        if (!ws_hb_word_read((u64)who.head, launch.base, launch.count, launch.names, 0, address, page, me)) continue;
        u64 parted = brought_into_bytes(who, address, page, read_entry(word_at(page, address).reader));
        if (parted == 0) continue;
        u64 record = bytes_of(who.head, parted);
#pragma unroll 1
        for (u32 byte = 0; byte < WORD_BYTES && offset + byte < bytes; byte++) read_location(who, address + byte, byte_at(record, byte));
    }
}

// A copy that will never be waited for goes on reading: whoever writes there later is too early. It is entered as of now, so that it is known whose it is to those who
// write in this interval.
static __device__ __forceinline__ void keep_reading(const Accessor &who, u64 address, u64 page) {
    Location word = word_at(page, address);
    u64 found = read_entry(word.reader);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (is_in_parts(found)) {
            u64 parted = brought_into_bytes(who, address, page, found);
            if (parted == 0) return;
#pragma unroll 1
            for (u32 byte = 0; byte < WORD_BYTES; byte++) {
                Location place = byte_at(bytes_of(who.head, parted), byte);
                put_site(place.witness, who.me);
                exchange_entry(place.reader, who.me | BLOCKS);
            }
            return;
        }
        u64 writer = who.launch.is_old(found) ? 0 : writer_in(word, found);
        if (writer != 0) raise_entry(word.writer, writer);
        put_site(word.witness, who.me);
        u64 now = swap_entry(word.reader, found, who.me | BLOCKS | (writer != 0 ? WRITTEN : 0));
        if (now == found) return;
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
}

// The copy's read, as it was when it began. Its instruction has the number before that of the write.
static __device__ __forceinline__ u64 begin_of(u64 self, const PendingCopy &copy) {
    u32 identity = identity_of(self), back = identity - (u32)(copy.source_and_begin >> COPY_INTERVAL) & INTERVALS_BACK;
    u64 epoch = copy.source_and_begin >> COPY_EPOCH & LAST_EPOCH, site = (copy.place_and_site >> COPY_SITE) - 1;
    return (self & (WARP_BITS | LANE_BITS)) | (u64)(identity - back) << IDENTITY_PLACE | epoch << EPOCH_PLACE | site << SITE_PLACE;
}

// Looks at what a copy reads, when its thread has waited for it, or ends without.
static __device__ __forceinline__ void end_reading(const Accessor &who, const PendingCopy &copy, bool is_waited_for) {
    u64 source = copy.source_and_begin & ((1ull << COPY_EPOCH) - 1);
    u32 bytes = copy.group_and_source >> COPY_READ & 31;
    Accessor reader = who, now = who;
    reader.me = begin_of(who.me, copy);
    now.me = who.me | (reader.me & SITE);
    bool is_read_again = is_waited_for && !same_epoch(reader.me, now.me);
    if (is_read_again) read_until_now(now, source, bytes);
    ask_writers(reader.head, reader.launch, source, bytes, [&](u64 address, u64 writer) {
        judge_source(reader, address, writer, copy.group_and_source);
        if (is_read_again) judge(now, address, writer, now.me, 0, 0);
    });
    if (is_waited_for) return;
    u64 chunk = chunk_of(reader.head->shadow, source), page = chunk == 0 ? 0 : part_line(reader, source, line_in(chunk, source), 0);
    if (page == 0) return;
#pragma unroll 1
    for (u32 offset = 0; offset < bytes; offset += WORD_BYTES) keep_reading(now, source + offset, page);
}

// The thread has waited for its copies but those of the last groups. Who has written to the same place since has found the copy pending.
static __device__ __forceinline__ void settle_copies(const Accessor &who, const SharedPlaces &places, Copies *copies, u32 groups_left) {
    u64 self = who.me;
#pragma unroll 1
    for (; copies->settled != copies->begun; copies->settled++) {
        PendingCopy copy = copies->all[copies->settled % MOST_PENDING];
        u32 site = copy.place_and_site >> COPY_SITE, groups = copies->group - copy.group_and_source & GROUPS;
        if (groups_left != ~0u && groups <= groups_left) return;
        u32 address = places.start + (copy.place_and_site & ((1u << COPY_SHAPE) - 1)), end = address + (4u << (copy.place_and_site >> COPY_SHAPE & 3));
        u64 wanted = self | (u64)site << SITE_PLACE;
        for (; address < end; address += places.granule()) {
            u64 writer = places.at(address).writer, found = read_entry(writer);
            bool is_own = (found & PENDING) && !who.launch.is_old(found) && ((found ^ wanted) & (WARP_BITS | LANE_BITS | SITE)) == 0;
            if (is_own) swap_entry(writer, found, wanted);
        }
        end_reading(who, copy, true);
    }
}

// The thread ends, and has not waited for some.
static __device__ __forceinline__ void leave_copies(const Accessor &who, Copies *copies) {
#pragma unroll 1
    for (; copies->settled != copies->begun; copies->settled++) {
        end_reading(who, copies->all[copies->settled % MOST_PENDING], false);
    }
}
