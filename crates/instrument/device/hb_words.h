// Words of global memory. Everything that is done with a word goes by its reader's place, in one step: who only writes it, as most who do, leaves an entry
// there that says so. The writer has a place of its own when somebody reads the word, too.
#pragma once
#include "hb_locations.h"

constexpr u32 LINE_BYTES = 128, LINE_WORDS = 32, WORD_BYTES = 4;

// The record of a word's bytes, by what its reader's place has: writer and reader of one after the other, behind them the sites of other readers, and then the newest
// updater of each and another one.
static __device__ __forceinline__ u64 record_of(u64 bytes, u64 reader) { return bytes + (reader & ~IN_PARTS) * BYTES_RECORD; }
static __device__ __forceinline__ Location byte_at(u64 record, u32 index) {
    return {record + index * 16, record + index * 16 + 8, record + BYTES_UPDATERS + index * 16, record + WORD_BYTES * 16 + index * 2};
}

// Where the entries of a word are in the page of its 64 KiB: all readers, all writers, and the sites of other readers. In a line, every fourth word stands beside the
// other: lanes that access one word of four, or of two, find their entries side by side, too.
static __device__ __forceinline__ Location word_at(u64 page, u64 address) {
    u32 offset = (u32)address & ((1u << PAGE_BITS) - 1);
    u32 place = (offset & ~(LINE_BYTES - 1)) << 1 | (offset & 0xC) << 4 | (offset & 0x70) >> 1;
    u64 reader = page + place;
    return {reader + PAGE_WRITERS, reader, 0, page + PAGE_SITES + place / 4};
}

static __device__ __forceinline__ u64 only_written(u64 writer) { return writer | WRITTEN | ONLY_WRITTEN; }

// Who wrote a word, and who read it, by what was found in its reader's place, which is of this launch. 0 if nobody did.
static __device__ __forceinline__ u64 writer_in(const Location &word, u64 found) {
    if (found & ONLY_WRITTEN) return found & ~(WRITTEN | ONLY_WRITTEN);
    return found & WRITTEN ? read_entry_after(word.writer, found) : 0;
}
static __device__ __forceinline__ u64 reader_in(u64 found) { return found & ONLY_WRITTEN ? 0 : found & ~WRITTEN; }

// Words that were only updated in this launch, by atomics that return nothing.
//
// Updates do not race with each other, so that nobody compares anything: the entry is that of the newest updater with a level, and the writer's place has one more whom
// it does not stand for. From the level of blocks on nothing is left to be said. Whoever reads or writes the word finds that it is no reader's entry, and brings it into
// bytes, where updaters have places of their own.

// Keeps an updater whom the newest one does not stand for, in the word and where its bytes are by now.
static __device__ __forceinline__ void keep_other_updater(u64 bytes, const Location &word, u64 other) {
    u64 before = exchange_entry(word.writer, other), found = read_entry_after(word.reader, before);
    if (!is_in_bytes(found)) return;
#pragma unroll 1
    for (u32 index = 0; index < WORD_BYTES; index++) swap_entry(byte_at(record_of(bytes, found), index).updater + 8, 0, other | NOT_RETURNED);
}

// An update of a word. Whether it was one of a word that is only updated; if not, nothing was done.
static __device__ __forceinline__ bool word_is_updated(const Launch &launch, u64 bytes, u64 me, const Location &word) {
    if (launch.is_old(me)) return true;
    u64 found = read_entry(word.reader);
#pragma unroll 1
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        u64 before = updater_in(found);
        if (is_in_parts(found) ? !is_only_updated(found) : !launch.is_old(found)) return false;
        u64 wanted = joined(launch, before, me);
        if (wanted == before) return true;
        u64 now = swap_entry(word.reader, found, wanted | IN_PARTS);
        if (now == found) {
            if (!launch.is_old(before) && is_wider(launch, wanted, before)) keep_other_updater(bytes, word, before & ~LEVEL);
            return true;
        }
        found = now;
    }
    return false;
}

// What an earlier launch has updated is as if nobody had accessed it.
static __device__ __forceinline__ void forget_old_updates(const Launch &launch, const Location &word) {
    u64 found = read_entry(word.reader);
    if (is_only_updated(found) && launch.is_old(updater_in(found))) swap_entry(word.reader, found, 0);
}

// A read of a word. Whether it is kept in bytes, and nothing was done.
extern "C" __device__ __noinline__ u32 ws_hb_word_read(u64 head, u32 base, u32 count, u64 names, u32 lanes, u64 address, u64 page, u64 me) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, 0};
    Location word = word_at(page, address);
    u64 found = read_entry(word.reader);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (is_in_parts(found)) return true;
        u64 writer = who.launch.is_old(found) ? 0 : writer_in(word, found);
        u64 wanted = joined(who.launch, found, me), now = found;
        if (wanted != found) {
            // Who has only written is no reader.
            if ((wanted & WRITTEN) && (found & ONLY_WRITTEN)) wanted = me | WRITTEN;
            if (wanted & WRITTEN) raise_entry(word.writer, writer);
            keep_site(word.witness, found, wanted, me);
            now = swap_entry(word.reader, found, wanted);
        }
        if (now == found) {
            judge(who, address, writer, me, 0, 0);
            return false;
        }
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return false;
}

// Compares a write of a word with what it has found, and sees to it that the word has it. All lanes of the instruction come here.
extern "C" __device__ __noinline__ void ws_hb_word_written(u64 head, u64 address, u64 me, u64 found, u64 page, u64 value, u32 value_bytes, u32 base, u32 count,
                                                           u64 names, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, WRITES};
    Location word = word_at(page, address);
    bool is_there = !is_in_parts(found) && !who.launch.is_old(found);
    judge_writers(who, address, is_there ? writer_in(word, found) : 0, {value, value_bytes});
    if (!is_there) return;
    judge(who, address, reader_in(found), me, 0, word.witness);
    // What is larger was left there. It may be older in this warp all the same; or the access races with it, and stands in the writer's place for those who come.
    u64 wanted = only_written(me), raced = 0;
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS && found > wanted && !is_in_parts(found); attempt++) {
        u64 newer = wanted;
        if (is_unordered(who.launch, found, me)) {
            if (found & ONLY_WRITTEN) return;
            u64 other = raise_entry(word.writer, me);
            if (other != raced && ((other ^ me) & ~SITE)) judge(who, address, other, me, 0, 0);
            raced = me;
            newer = found | WRITTEN;
        }
        u64 now = newer == found ? found : swap_entry(word.reader, found, newer);
        if (now == found) return;
        found = now;
    }
}

// Compares a write that is entered late with the reader of the location, where nobody knows which of them came first.
static __device__ __forceinline__ void judge_late(const Accessor &who, u64 address, u64 reader, u64 writer, u64 witness) {
    const Launch &launch = who.launch;
    if (launch.is_old(reader)) return;
    bool is_written_first = identity_of(writer) < identity_of(reader) || (identity_of(writer) == identity_of(reader) && (writer & EPOCH) < (reader & EPOCH));
    if (is_written_first && !is_unordered(launch, reader, writer)) judge(who, address, writer, reader & ~LEVEL, 0, 0);
    else judge(who, address, reader, writer, 0, witness);
}

// Enters a writer that stood in a line into one of its words, late: others may have been there since. What is in the reader's place if the word is kept in
// bytes; then nothing was done.
static __device__ __forceinline__ u64 enter_word(const Accessor &who, u64 address, const Location &word, u64 writer) {
    u64 found = read_entry(word.reader);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (is_in_parts(found)) return found;
        bool is_old = who.launch.is_old(found);
        if (!is_old) {
            u64 other = writer_in(word, found);
            if ((other ^ writer) & ~SITE) judge(who, address, writer, other, 0, 0);
            judge_late(who, address, reader_in(found), writer, word.witness);
            // Who wrote since then is newer, or a race with it was reported.
            if (found & WRITTEN) return 0;
            raise_entry(word.writer, writer);
        }
        u64 now = swap_entry(word.reader, found, is_old ? only_written(writer) : found | WRITTEN);
        if (now == found) return 0;
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return 0;
}

// One entry for two that have read a location. The first one is entered late: mostly it has read before the other.
static __device__ __forceinline__ u64 both_readers(const Launch &launch, u64 first, u64 second) {
    u64 level = second & LEVEL;
    if (level == BLOCKS) return second;
    u64 both = joined(launch, first, second & ~LEVEL);
    if (identity_of(first) == identity_of(second)) {
        // Of one warp, the newer one, who may have been entered late.
        if (level <= LANES && !(both & LEVEL) && (first & EPOCH) > (second & EPOCH)) return first;
        return (both & LEVEL) < level ? (both & ~LEVEL) | level : both;
    }
    // Of one block, the newer one.
    return (both & LEVEL) == BLOCKS ? both : identity_of(first) > identity_of(second) ? first : second;
}

// Enters a reader that stood in a line into one of its words, or a byte of one, late. `site` is that of another one whom it stands for. What is in the
// reader's place if the word is kept in bytes; then nothing was done.
template <bool IS_WORD> static __device__ __forceinline__ u64 enter_reader(const Accessor &who, u64 address, const Location &place, u64 reader, u16 site) {
    u64 found = read_entry(place.reader);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (IS_WORD && is_in_parts(found)) return found;
        bool is_old = who.launch.is_old(found);
        u64 writer = is_old || !IS_WORD ? 0 : writer_in(place, found);
        u64 before = is_old ? 0 : IS_WORD ? reader_in(found) : found;
        u64 wanted = before == 0 ? reader : both_readers(who.launch, reader, before);
        if (IS_WORD && writer != 0) raise_entry(place.writer, writer);
        if (is_wider(who.launch, wanted, before)) {
            // As where two join one after the other: who is entered is the newest, and who was there the other one. So it is no matter whose site is kept last,
            // if others join at the same time.
            u64 level = wanted & LEVEL, part = who.launch.is_of_tiles(wanted) ? who.launch.epoch_of_tile() : 0;
            wanted = (reader & ~LEVEL) | level | part;
            bool is_beside = before != 0 && is_another(who.launch, wanted, before);
            if (is_beside && !(before & LEVEL)) put_site(place.witness, before);
            else if (!is_beside) asm volatile("st.b16 [%0], %1;" ::"l"(place.witness), "h"(reader & LEVEL ? site : (u16)site_of(reader)) : "memory");
        }
        u64 now = swap_entry(place.reader, found, wanted | (writer != 0 ? WRITTEN : 0));
        if (now == found) {
            if (!IS_WORD) writer = read_entry_after(place.writer, now);
            if (writer != 0 && !who.launch.is_old(writer)) judge_late(who, address, reader, writer, place.witness);
            return 0;
        }
        found = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return 0;
}
