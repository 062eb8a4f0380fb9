// Lines of global memory: one entry of a writer and one of a reader for 128 bytes that a warp accesses as a whole. Where lanes have parted,
// a line is kept word by word, in a record from a pool, and a word byte by byte.
#pragma once
#include "hb_words.h"
#include "shadow_table.h"

constexpr u32 LINES_PLACE_SHIFT = 3;

// Where the entries of an address's line are, by those of its 2 MiB.
static __device__ __forceinline__ u64 line_in(u64 chunk, u64 address) {
    return chunk + ((address & ((1ull << CHUNK_BITS) - LINE_BYTES)) >> LINES_PLACE_SHIFT);
}

// Where it says which page an address has, likewise.
static __device__ __forceinline__ u64 page_place(u64 chunk, u64 address) {
    return chunk + PAGES_OF_CHUNK + ((u32)address >> PAGE_BITS & ((1u << (CHUNK_BITS - PAGE_BITS)) - 1)) * 8;
}

// Makes a page known to those who look into the table. Whether all lines are kept in words is known by its count.
static __device__ __forceinline__ void publish_page(EntriesHead *head, u64 address, u64 page) {
    u64 number = (address >> PAGE_BITS) - head->first_page;
    u64 is_all = *(volatile u32 *)(page + PAGE_COUNT) == (1u << PAGE_BITS) / LINE_BYTES;
    if (number < head->table_pages) *(volatile u64 *)(head->page_table + number * 8) = page | is_all;
}

// The page of an address, which gets one if it has none; 0 if there is none left. Pages are given out in the order of a counter that also says to whom the last one
// went: who comes next enters that one before, and nobody waits. Each attempt that fails is a page for somebody else.
static __device__ __forceinline__ u64 provide_page(EntriesHead *head, u64 chunk, u64 address) {
    u64 place = page_place(chunk, address), counter = (u64)&head->pages_taken;
    for (u32 attempt = 0; attempt < head->page_capacity + 2; attempt++) {
        u64 last = read_entry(counter), number = last & 0xFFFFFFFF;
        if (number != 0) {
            u64 of_last = last >> 32 << PAGE_BITS, its_chunk = chunk_of(head->shadow, of_last);
            if (its_chunk != 0) swap_entry(page_place(its_chunk, of_last), 0, head->pages + (number - 1) * PAGE_BYTES);
        }
        u64 page = read_entry_after(place, last);
        if (page != 0) {
            publish_page(head, address, page);
            return page;
        }
        if (number >= head->page_capacity) break;
        swap_entry(counter, last, (number + 1) | address >> PAGE_BITS << 32);
    }
    note_gap(head, GAP_NO_ROOM);
    return 0;
}

// A record of bytes from the pool. One that nobody wanted in the end is kept for the next who asks.
static __device__ __forceinline__ u32 take_record(EntriesHead *head) {
    if (*(volatile u32 *)&head->bytes_spare != 0) {
        u32 spare = atomicExch(&head->bytes_spare, 0u);
        if (spare != 0) return spare;
    }
    if (*(volatile u32 *)&head->bytes_taken >= head->bytes_capacity) return 0;
    u32 number = atomicAdd(&head->bytes_taken, 1u) + 1;
    return number < head->bytes_capacity ? number : 0;
}

static __device__ __forceinline__ void give_back(EntriesHead *head, u32 record) { atomicExch(&head->bytes_spare, record); }

static __device__ __forceinline__ u64 bytes_of(const EntriesHead *head, u64 reader) { return record_of(head->bytes, reader); }
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

// Compares an access that is entered late with those who have updated the location since.
static __device__ __forceinline__ void judge_late_beside_updates(const Accessor &who, u64 address, const Location &place, u64 entry, u64 witness) {
    u64 newest = read_entry_after(place.updater, entry), other = read_entry_after(place.updater + 8, newest);
    judge(who, address, entry, newest & ~(LEVEL | NOT_RETURNED), 0, witness);
    if (newest & LEVEL) judge(who, address, entry, other & ~(LEVEL | NOT_RETURNED), 0, witness);
}

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
        judge_late_beside_updates(who, address + index, place, writer, 0);
    }
}

// Brings the other updater of a word into its bytes, unless it is not there yet: then who keeps it does that.
static __device__ __forceinline__ void bring_other_updater(const Accessor &who, const Location &word, u64 record, u64 newest) {
    u64 other = read_entry_after(word.writer, newest);
    if (!(newest & LEVEL) || who.launch.is_old(other) || !is_unordered(who.launch, newest & ~LEVEL, other)) return;
#pragma unroll 1
    for (u32 index = 0; index < WORD_BYTES; index++) swap_entry(byte_at(record, index).updater + 8, 0, other | NOT_RETURNED);
}

// A word is kept byte by byte from now on, if there is room.
extern "C" __device__ __noinline__ void ws_hb_part_word(u64 head, u32 base, u32 count, u64 names, u32 how, u64 address, u64 page) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, 0, 0, how};
    Location word = word_at(page, address);
    u64 reader = read_entry(word.reader);
    if (is_in_bytes(reader)) return;
    u32 number = take_record(who.head);
    if (number == 0) return note_gap(who.head, GAP_NO_ROOM);
    u64 wanted = IN_PARTS | number, record = bytes_of(who.head, wanted);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS && !is_in_bytes(reader); attempt++) {
        bool is_updated = is_only_updated(reader), is_old = who.launch.is_old(updater_in(reader));
        u16 site = *(volatile u16 *)word.witness;
#pragma unroll 1
        for (u32 index = 0; index < WORD_BYTES; index++) {
            Location byte = byte_at(record, index);
            put_entry(byte.writer, 0);
            asm volatile("st.b16 [%0], %1;" ::"l"(byte.witness), "h"(site) : "memory");
            put_entry(byte.reader, is_old || is_updated ? 0 : reader_in(reader));
            put_entry(byte.updater, is_old || !is_updated ? 0 : updater_in(reader) | NOT_RETURNED);
            put_entry(byte.updater + 8, 0);
        }
        __threadfence();
        u64 now = swap_entry(word.reader, reader, wanted);
        if (now == reader) {
            if (is_updated && !is_old) {
                bring_other_updater(who, word, record, updater_in(reader));
            } else {
                u64 writer = is_old ? 0 : writer_in(word, now);
                if (!who.launch.is_old(writer)) enter_bytes(who, address, record, writer);
            }
            return;
        }
        reader = now;
    }
    give_back(who.head, number);
    if (!is_in_bytes(reader)) note_gap(who.head, GAP_CONTENDED);
}

static __device__ __forceinline__ void part_word(const Accessor &who, u64 address, u64 page) {
    ws_hb_part_word((u64)who.head, who.launch.base, who.launch.count, who.launch.names, who.how, address, page);
}

// What a word's place has once it is kept in bytes, which it is if it was only updated before: what is entered late is no update.
static __device__ __forceinline__ u64 brought_into_bytes(const Accessor &who, u64 address, u64 page, u64 parted) {
    if (!is_only_updated(parted)) return parted;
    part_word(who, address, page);
    u64 found = read_entry(word_at(page, address).reader);
    return is_in_bytes(found) ? found : 0;
}

extern "C" __device__ __noinline__ void ws_hb_enter(u64 head, u32 base, u32 count, u64 names, u64 address, u64 page, u64 writer) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, writer, 0, 0};
    u64 parted = brought_into_bytes(who, address, page, enter_word(who, address, word_at(page, address), writer));
    if (parted != 0) enter_bytes(who, address, bytes_of(who.head, parted), writer);
}

// The writer of a line is entered into its words.
static __device__ __forceinline__ void enter_words(const Accessor &who, u64 line, u64 page, u64 writer) {
#pragma unroll 1
    for (u32 index = 0; index < LINE_WORDS; index++)
        ws_hb_enter((u64)who.head, who.launch.base, who.launch.count, who.launch.names, line + index * WORD_BYTES, page, of_word(writer, index));
}

// And its reader.
static __device__ __forceinline__ void enter_readers(const Accessor &who, u64 line, u64 page, u64 reader, u16 site) {
#pragma unroll 1
    for (u32 index = 0; index < LINE_WORDS; index++) {
        u64 address = line + index * WORD_BYTES, of_index = of_word(reader, index);
        u64 parted = brought_into_bytes(who, address, page, enter_reader<true>(who, address, word_at(page, address), of_index, site));
        if (parted == 0) continue;
#pragma unroll 1
        for (u32 byte = 0; byte < WORD_BYTES; byte++) {
            Location place = byte_at(bytes_of(who.head, parted), byte);
            enter_reader<false>(who, address + byte, place, of_index, site);
            judge_late_beside_updates(who, address + byte, place, of_index, place.witness);
        }
    }
}

// A line is kept in words from now on. Their page, or 0 if there was no room. The writer `own` is about to enter itself.
extern "C" __device__ __noinline__ u64 ws_hb_part_line(u64 head, u32 base, u32 count, u64 names, u32 how, u64 address, u64 place, u64 own) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, 0, 0, how};
    address &= ~(u64)(LINE_BYTES - 1);
    Location line = line_at(place, address);
    u64 page = provide_page(who.head, chunk_of(who.head->shadow, address), address);
    if (page == 0) return 0;
    u64 reader = read_entry(line.reader);
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (is_in_parts(reader)) return page;
        u16 site = *(volatile u16 *)line.witness;
        u64 now = swap_entry(line.reader, reader, IN_PARTS);
        if (now == reader) {
            u32 number = (u32)address / LINE_BYTES % ((1u << PAGE_BITS) / LINE_BYTES);
            atomicOr((u32 *)(page + PAGE_LINES + number / 32 * 4), 1u << number % 32);
            if (atomicAdd((u32 *)(page + PAGE_COUNT), 1u) + 1 == (1u << PAGE_BITS) / LINE_BYTES) publish_page(who.head, address, page);
            u64 writer = read_entry_after(line.writer, now);
            if (!who.launch.is_old(reader)) enter_readers(who, address, page, reader, site);
            if (!who.launch.is_old(writer) && writer != own) enter_words(who, address, page, writer);
            // Until then nobody can be sure of who wrote a word.
            swap_entry(line.writer, writer, 0);
            return page;
        }
        reader = now;
    }
    note_gap(who.head, GAP_CONTENDED);
    return 0;
}

static __device__ __forceinline__ u64 part_line(const Accessor &who, u64 address, u64 place, u64 own) {
    return ws_hb_part_line((u64)who.head, who.launch.base, who.launch.count, who.launch.names, who.how, address, place, own);
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
        bool is_quiet = !is_in_parts(reader) && (launch.is_old(reader) || (!(reader & READ_ONLY_PATH) && !is_unordered<true>(launch, reader, me)));
        // Shapes stand where words have lanes: a warp may have another shape of the same line.
        if (is_quiet && (launch.is_old(before) || !is_unordered<true>(launch, before, me))) return false;
        u64 page = part_line(who, address, place, me);
        if (page != 0 && !launch.is_old(before)) enter_words(who, address, page, before);
        return page != 0;
    }
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (is_in_parts(reader)) return true;
        u64 wanted = joined<true>(launch, reader, me);
        // Lanes of a warp that have read the line in two shapes.
        if (!launch.is_old(reader) && (wanted & LEVEL) == LANES) return part_line(who, address, place, 0) != 0;
        if (wanted != reader) keep_site(line_at(place, address).witness, reader, wanted, me);
        u64 now = wanted == reader ? reader : swap_entry(place + 8, reader, wanted);
        if (now == reader) {
            u64 writer = read_entry_after(place, now);
            bool is_quiet = launch.is_old(writer) || (!(me & READ_ONLY_PATH) && !is_unordered<true>(launch, writer, me));
            // Who wrote and who read just before may not have seen each other.
            if (is_quiet && !launch.is_old(writer) && !launch.is_old(reader)) is_quiet = !is_unordered<true>(launch, reader, writer);
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
        if (who.how & UPDATES) {
            update_location(here, address, place);
            continue;
        }
        if (who.writes()) write_location(here, address, place, stored);
        else read_location(here, address, place);
        judge_updates(here, address, place);
    }
}
