// Lines of global memory: one entry of a writer and one of a reader for 128 bytes that a warp accesses as a whole. Where lanes have parted,
// a line is kept word by word, in a record from a pool, and a word byte by byte.
#pragma once
#include "hb_words.h"
#include "shadow_table.h"

constexpr u32 LINES_PLACE_SHIFT = 3;

// Where the entries of an address's line are, or 0 where there are none.
static __device__ __forceinline__ u64 line_of(u64 table, u64 address) {
    u64 chunk = chunk_of(table, address);
    if (chunk == 0) return 0;
    return chunk + ((address & ((1ull << CHUNK_BITS) - LINE_BYTES)) >> LINES_PLACE_SHIFT);
}

// A record from a pool. One that nobody wanted in the end is kept for the next who asks.
static __device__ __forceinline__ u32 take_record(EntriesHead *head, u32 pool) {
    if (*(volatile u32 *)&head->spare[pool] != 0) {
        u32 spare = atomicExch(&head->spare[pool], 0u);
        if (spare != 0) return spare;
    }
    if (*(volatile u32 *)&head->taken[pool] >= head->capacity[pool]) return 0;
    u32 number = atomicAdd(&head->taken[pool], 1u) + 1;
    return number < head->capacity[pool] ? number : 0;
}

static __device__ __forceinline__ void give_back(EntriesHead *head, u32 pool, u32 record) { atomicExch(&head->spare[pool], record); }

// The record of a location's parts, by what its reader's place has. Bytes have writer and reader of one after the other, and behind them the sites of other
// readers.
static __device__ __forceinline__ u64 words_of(const EntriesHead *head, u64 reader) { return head->words + (reader & ~IN_PARTS) * WORDS_RECORD; }
static __device__ __forceinline__ u64 bytes_of(const EntriesHead *head, u64 reader) { return head->bytes + (reader & ~IN_PARTS) * BYTES_RECORD; }
static __device__ __forceinline__ Location byte_at(u64 record, u32 index) {
    return {record + index * 16, record + index * 16 + 8, 0, record + WORD_BYTES * 16 + index * 2};
}
template <bool IS_LINE> static __device__ __forceinline__ Location part_at(u64 record, u32 index) { return IS_LINE ? word_at(record, index) : byte_at(record, index); }
// Of lines, these sites are behind the entries of the 2 MiB.
static __device__ __forceinline__ Location line_at(u64 place, u64 address) {
    u32 number = (u32)address >> 7 & ((1u << (CHUNK_BITS - 7)) - 1);
    return {place, place + 8, 0, place - number * 16 + LINE_ENTRIES + number * 2};
}

// The entry of one word of a line: shapes stand where words have lanes. A shape is the bytes of a lane as a power of two, less 2, and the first lane in
// eighths.
static __device__ __forceinline__ u64 of_word(u64 line, u32 word) {
    u32 shape = lane_of(line), lane = (word >> (shape & 3)) + (shape >> 2) * 8;
    return (line & ~LANE_BITS) | (u64)lane << LANE_PLACE;
}

static __device__ __forceinline__ void put_entry(u64 place, u64 entry) { asm volatile("st.b64 [%0], %1;" ::"l"(place), "l"(entry) : "memory"); }

// The writer of a word is entered into its bytes, late.
static __device__ __forceinline__ void enter_bytes(const Accessor &who, u64 address, u64 record, u64 writer) {
#pragma unroll 1
    for (u32 index = 0; index < WORD_BYTES; index++) {
        Location place = byte_at(record, index);
        u64 found = read_entry(place.writer);
        for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            if (!who.launch.is_old(found)) {
                if (((found ^ writer) & ~SITE) == 0) break;
                judge(who, address + index, writer, found, 0, 0);
                if (identity_of(found) > identity_of(writer) || is_unordered(who.launch, writer, found)) break;
            }
            u64 now = swap_entry(place.writer, found, writer);
            if (now == found) break;
            found = now;
        }
        judge_late(who, address + index, read_entry_after(place.reader, found), writer, place.witness);
    }
}

extern "C" __device__ __noinline__ void ws_hb_enter(u64 head, u32 base, u32 count, u64 names, u64 address, u64 record, u32 index, u64 writer) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, writer, 0, 0};
    u64 parted = enter_word(who, address, word_at(record, index), writer);
    if (parted != 0) enter_bytes(who, address, bytes_of(who.head, parted), writer);
}

// The writer of a line is entered into its words.
static __device__ __forceinline__ void enter_words(const Accessor &who, u64 line, u64 record, u64 writer) {
#pragma unroll 1
    for (u32 index = 0; index < LINE_WORDS; index++)
        ws_hb_enter((u64)who.head, who.launch.base, who.launch.count, who.launch.names, line + index * WORD_BYTES, record, index, of_word(writer, index));
}

// Parts a location: a line into words, or a word into bytes. What stands in its reader's place then, or 0 if there was no room. The writer
// `own` is about to enter itself.
template <bool IS_LINE> static __device__ __forceinline__ u64 part(const Accessor &who, u64 address, const Location &place, u64 own) {
    constexpr u32 POOL = IS_LINE ? 0 : 1, PARTS = IS_LINE ? LINE_WORDS : 4;
    EntriesHead *head = who.head;
    u64 reader = read_entry(place.reader);
    if (is_in_parts(reader)) return reader;
    u32 number = take_record(head, POOL);
    if (number == 0) {
        note_gap(head, GAP_NO_ROOM);
        return 0;
    }
    u64 wanted = IN_PARTS | number;
    u64 record = IS_LINE ? words_of(head, wanted) : bytes_of(head, wanted);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        bool is_old = who.launch.is_old(reader);
        u16 witness = *(volatile u16 *)place.witness;
#pragma unroll 1
        for (u32 index = 0; index < PARTS; index++) {
            Location of_part = part_at<IS_LINE>(record, index);
            put_entry(of_part.writer, 0);
            asm volatile("st.b16 [%0], %1;" ::"l"(of_part.witness), "h"(witness) : "memory");
            put_entry(of_part.reader, is_old ? 0 : IS_LINE ? of_word(reader, index) : reader_in(reader));
        }
        __threadfence();
        u64 now = swap_entry(place.reader, reader, wanted);
        if (now == reader) {
            u64 writer = IS_LINE ? exchange_entry(place.writer + (now == ~0ull), 0) : is_old ? 0 : writer_in(place, now);
            if (!who.launch.is_old(writer) && writer != own) {
                if (IS_LINE) enter_words(who, address, record, writer);
                else enter_bytes(who, address, record, writer);
            }
            return wanted;
        }
        reader = now;
        if (is_in_parts(reader)) break;
    }
    give_back(head, POOL, number);
    if (is_in_parts(reader)) return reader;
    note_gap(head, GAP_CONTENDED);
    return 0;
}

extern "C" __device__ __noinline__ u64 ws_hb_part_line(u64 head, u32 base, u32 count, u64 names, u32 how, u64 address, u64 place, u64 own) {
    return part<true>({(EntriesHead *)head, {base, count, names}, 0, 0, how}, address, line_at(place, address), own);
}

extern "C" __device__ __noinline__ u64 ws_hb_part_word(u64 head, u32 base, u32 count, u64 names, u32 how, u64 address, u64 writers, u64 readers,
                                                       u64 witness) {
    return part<false>({(EntriesHead *)head, {base, count, names}, 0, 0, how}, address, {writers, readers, 0, witness}, 0);
}

static __device__ __forceinline__ u64 part_line(const Accessor &who, u64 address, u64 place, u64 own) {
    return ws_hb_part_line((u64)who.head, who.launch.base, who.launch.count, who.launch.names, who.how, address, place, own);
}

static __device__ __forceinline__ void part_word(const Accessor &who, u64 address, const Location &place) {
    ws_hb_part_word((u64)who.head, who.launch.base, who.launch.count, who.launch.names, who.how, address, place.writer, place.reader, place.witness);
}

// An access of a whole line by a warp, by one of its lanes, where the line's entries are not those of the usual cases. Whether the line is
// kept in words now: then each lane goes on by itself.
static __device__ __forceinline__ bool access_line(const Accessor &who, u64 address, u64 place) {
    const Launch &launch = who.launch;
    u64 me = who.me;
    u64 reader = read_entry(place + 8);
    if (is_in_parts(reader)) return true;
    if (who.writes()) {
        u64 before = exchange_entry(place, me);
        reader = read_entry_after(place + 8, before);
        bool is_quiet = !is_in_parts(reader) && (launch.is_old(reader) || (!(reader & READ_ONLY_PATH) && !is_unordered(launch, reader, me)));
        // Shapes stand where words have lanes: a warp may have another shape of the same line.
        if (is_quiet && (launch.is_old(before) || !is_unordered(launch, before, me))) return false;
        u64 parted = part_line(who, address, place, me);
        if (parted != 0 && !launch.is_old(before)) enter_words(who, address, words_of(who.head, parted), before);
        return parted != 0;
    }
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (is_in_parts(reader)) return true;
        u64 wanted = joined(launch, reader, me);
        // Lanes of a warp that have read the line in two shapes.
        if (!launch.is_old(reader) && (wanted & LEVEL) == LANES) return part_line(who, address, place, 0) != 0;
        if (wanted != reader) keep_site(line_at(place, address).witness, reader, wanted, me);
        u64 now = wanted == reader ? reader : swap_entry(place + 8, reader, wanted);
        if (now == reader) {
            u64 writer = read_entry_after(place, now);
            bool is_quiet = launch.is_old(writer) || (!(me & READ_ONLY_PATH) && !is_unordered(launch, writer, me));
            // Who wrote and who read just before may not have seen each other.
            if (is_quiet && !launch.is_old(writer) && !launch.is_old(reader)) is_quiet = !is_unordered(launch, reader, writer);
            return is_quiet ? false : part_line(who, address, place, 0) != 0;
        }
        reader = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return false;
}

// One word of global memory, or some of its bytes, by one lane.
static __device__ __forceinline__ void access_bytes(const Accessor &who, u64 word, u64 record, u32 bytes, const Stored &stored) {
#pragma unroll 1
    for (u32 index = 0; index < 4; index++) {
        bool is_accessed = bytes >> index & 1;
        u32 together = lanes_of(who.me, __ballot_sync(who.lanes, is_accessed));
        if (!is_accessed) continue;
        Location place = byte_at(record, index);
        u64 address = word + index;
        Accessor here = who;
        here.lanes = together;
        if (who.writes()) write_location(here, address, place, stored);
        else read_location(here, address, place);
    }
}
