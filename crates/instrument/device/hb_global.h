// Accesses of global memory, by each lane for itself: words, and bytes.
#pragma once
#include "hb_inputs.h"
#include "hb_lines.h"

// A whole line, by one lane of the warp. Whether each lane has to go on by itself.
extern "C" __device__ __noinline__ u32 ws_hb_line(u64 head, u64 place, u64 address, u64 me, u32 base, u32 count, u64 names, u32 how) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, 0, how};
    return access_line(who, address, place);
}

// The bytes of a lane, word by word.
extern "C" __device__ __noinline__ void ws_hb_each_word(u64 head, u64 address, u64 me, u64 value, u32 value_bytes, u32 base, u32 count, u64 names, u32 how,
                                                        u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how};
    Stored stored = {value, value_bytes};
    u32 bytes = how >> BYTES_PLACE, start = (u32)address & 3, words = (start + bytes + 3) / 4;
#pragma unroll 1
    for (u32 index = 0; index < words; index++) {
        u64 word = (address & ~3ull) + index * 4, line = word & ~(u64)(LINE_BYTES - 1);
        u64 chunk = chunk_of(who.head->shadow, word), place = chunk == 0 ? 0 : line_in(chunk, word);
        bool is_there = place != 0 && is_in_parts(read_entry(place + 8));
        // One lane for each line that is not kept in words yet.
        bool is_whole = place != 0 && !is_there;
        if (__any_sync(lanes, is_whole)) {
            u32 peers = __match_any_sync(lanes, line);
            if (is_whole && (u32)__ffs(peers) - 1 == lane_of(me)) part_line(who, line, place, 0);
            __syncwarp(lanes);
            is_there = place != 0 && is_in_parts(read_entry(place + 8));
        }
        if (place == 0) note_gap(who.head, GAP_UNKNOWN_MEMORY);
        u64 page = is_there ? read_entry(page_place(chunk, word)) : 0;
        if (is_there) publish_page(who.head, word, page);
        if (is_there) forget_old_updates(who.launch, word_at(page, word));
        u32 from = index == 0 ? start : 0, to = start + bytes - index * 4;
        u32 covered = (0xFu << from) & (to >= 4 ? 0xF : (1u << to) - 1);
        bool by_bytes = false;
        u32 here = lanes_of(me, __ballot_sync(lanes, is_there && covered == 0xF));
        if (!is_there || covered != 0xF) {
            by_bytes = is_there;
        } else if (how & UPDATES) {
            by_bytes = !word_is_updated(who.launch, who.head->bytes, me, word_at(page, word));
        } else if (who.writes()) {
            u64 found = raise_entry(word_at(page, word).reader, only_written(me));
            ws_hb_word_written(head, word, me, found, page, value, value_bytes, base, count, names, here);
            by_bytes = is_in_parts(found);
        } else {
            by_bytes = ws_hb_word_read(head, base, count, names, here, word, page, me);
        }
        if (__any_sync(lanes, by_bytes)) {
            u64 parted = 0;
            Location location = word_at(page, word);
            if (by_bytes) parted = read_entry(location.reader);
            bool is_word = by_bytes && !is_in_bytes(parted);
            u32 peers = __match_any_sync(lanes, word);
            if (is_word && (u32)__ffs(peers) - 1 == lane_of(me)) part_word(who, word, page);
            __syncwarp(lanes);
            if (by_bytes) parted = read_entry(location.reader);
            by_bytes = by_bytes && is_in_bytes(parted);
            u32 together = lanes_of(me, __ballot_sync(lanes, by_bytes));
            if (by_bytes) {
                Accessor of_bytes = who;
                of_bytes.lanes = together;
                access_bytes(of_bytes, word, bytes_of(who.head, parted), covered, stored);
            }
        }
        __syncwarp(lanes);
    }
}

// Past the first cache, which is quicker: a product of sparse rows takes three quarters of the time that it takes with it.
static __device__ __forceinline__ u64 read_from_global(u64 place) {
    u64 entry;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(entry) : "l"(place) : "memory");
    return entry;
}

static __device__ __forceinline__ u64 swap_global(u64 place, u64 expected, u64 wanted) {
    u64 found;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;" : "=l"(found) : "l"(place), "l"(expected), "l"(wanted) : "memory");
    return found;
}

static __device__ __forceinline__ u64 read_global_after(u64 place, u64 before) { return read_from_global(place + (before == ~0ull)); }

// Both entries of a line or a word.
struct Both {
    u64 writer, reader;
};

static __device__ __forceinline__ Both read_both(u64 place) {
    Both both;
    asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];" : "=l"(both.writer), "=l"(both.reader) : "l"(place) : "memory");
    return both;
}

// Replaces both, if they are still what they were, by an atomic of 128 bits. Whether they were.
static __device__ __forceinline__ bool swap_both(u64 place, Both before, Both wanted) {
    Both found;
    asm volatile("{\n\t.reg .b128 before, after, found;\n\tmov.b128 before, {%2, %3};\n\tmov.b128 after, {%4, %5};\n\t"
                 "atom.relaxed.gpu.global.cas.b128 found, [%6], before, after;\n\tmov.b128 {%0, %1}, found;\n\t}"
                 : "=l"(found.writer), "=l"(found.reader)
                 : "l"(before.writer), "l"(before.reader), "l"(wanted.writer), "l"(wanted.reader), "l"(place)
                 : "memory");
    return found.writer == before.writer && found.reader == before.reader;
}

// Replaces one of both. Whether the other one is still what it was, behind that.
template <bool IS_WIDE> static __device__ __forceinline__ bool replace(u64 place, Both found, u64 wanted, bool writes) {
    if (IS_WIDE) return swap_both(place, found, {writes ? wanted : found.writer, writes ? found.reader : wanted});
    u64 before = writes ? found.writer : found.reader, beside = writes ? found.reader : found.writer;
    u64 now = swap_global(place + (writes ? 0 : 8), before, wanted);
    return now == before && read_global_after(place + (writes ? 8 : 0), now) == beside;
}

// A read of a word that nobody has written in this launch. Whether it was one; if not, nothing is lost that is done again. Who has read stays in the entry, and who
// writes later sees that.
template <typename OneLaunch> static __device__ __forceinline__ bool word_is_read(const OneLaunch &launch, u64 me, const Location &word) {
    u64 reader = read_from_global(word.reader);
#pragma unroll 1
    for (u32 attempt = 0; attempt < 3; attempt++) {
        if (is_in_parts(reader)) return false;
        u64 wanted = joined(launch, reader, me);
        // What stands for all blocks may be one copy that nobody waits for: then there may be a writer that nobody has raced with before.
        bool is_final_and_written = (reader & (LEVEL | WRITTEN)) == (BLOCKS | WRITTEN);
        if (wanted == reader) return !((reader ^ me) & READ_ONLY_PATH) && !is_final_and_written;
        if (wanted & WRITTEN) return false;
        keep_site(word.witness, reader, wanted, me);
        u64 now = swap_global(word.reader, reader, wanted);
        if (now == reader) return true;
        reader = now;
    }
    return false;
}

// Whole words of a line that is kept in words, in the usual cases. Whether that is all. It calls nobody, so that it needs no memory for registers.
extern "C" __device__ __noinline__ u32 ws_hb_usual(u64 page, u32 address, u64 me, u32 base, u32 count, u32 bits, u32 how) {
    Launch launch = {base, count, (u64)bits << 48};
#pragma unroll 1
    for (u32 bytes = how >> BYTES_PLACE; bytes != 0; bytes -= WORD_BYTES, address += WORD_BYTES)
        if (!word_is_read(launch, me, word_at(page, address))) return false;
    return true;
}

// What the check of an access needs, where it stands in place: each is asked for where it is wanted.
struct InPlace {
    using OneLaunch = LaunchInPlace;

    __device__ __forceinline__ u64 head() const { return context_entries(); }
    __device__ __forceinline__ u64 page_table() const { return context_page_table(); }
    __device__ __forceinline__ u32 first_page() const { return context_first_page(); }
    __device__ __forceinline__ u32 table_pages() const { return context_table_pages(); }
    __device__ __forceinline__ u64 address() const { return in_address(); }
    __device__ __forceinline__ u64 value() const { return in_value(); }
    __device__ __forceinline__ u32 value_bytes() const { return in_value_bytes(); }
    __device__ __forceinline__ u32 base() const { return in_base(); }
    __device__ __forceinline__ u32 count() const { return context_identities(); }
    __device__ __forceinline__ u64 names() const { return context_names(); }
    __device__ __forceinline__ u32 how() const { return in_how(); }
    __device__ __forceinline__ u32 lanes() const { return lanes_here(); }
};

// The same where the check is a function, which was given it.
struct Given {
    using OneLaunch = Launch;

    u64 of_head, of_address, of_me, of_value;
    u32 of_value_bytes, of_base, of_count;
    u64 of_names;
    u32 of_how;

    __device__ __forceinline__ u64 head() const { return of_head; }
    __device__ __forceinline__ u64 page_table() const { return ((const EntriesHead *)of_head)->page_table; }
    __device__ __forceinline__ u32 first_page() const { return (u32)((const EntriesHead *)of_head)->first_page; }
    __device__ __forceinline__ u32 table_pages() const { return ((const EntriesHead *)of_head)->table_pages; }
    __device__ __forceinline__ u64 address() const { return of_address; }
    __device__ __forceinline__ u64 value() const { return of_value; }
    __device__ __forceinline__ u32 value_bytes() const { return of_value_bytes; }
    __device__ __forceinline__ u32 base() const { return of_base; }
    __device__ __forceinline__ u32 count() const { return of_count; }
    __device__ __forceinline__ u64 names() const { return of_names; }
    __device__ __forceinline__ u32 how() const { return of_how; }
    __device__ __forceinline__ u32 lanes() const { return lanes_of(of_me, __activemask()); }
};

// A write of a word. Whether it is kept in bytes, and nothing was done.
template <typename Needs> static __device__ __forceinline__ bool word_is_in_bytes(const Needs &needs, const typename Needs::OneLaunch &launch, u64 me, u64 page, u64 address) {
    u64 found = raise_entry(word_at(page, address).reader, only_written(me));
    // Older, or of this lane, which has read or written the word.
    bool is_own = ((found ^ me) & ~(SITE | WRITTEN | ONLY_WRITTEN)) == 0 && ((found & ONLY_WRITTEN) || !(found & WRITTEN));
    if (!launch.is_old(found) && !is_own)
        ws_hb_word_written(needs.head(), address, me, found, page, needs.value(), needs.value_bytes(), needs.base(), needs.count(), needs.names(), needs.lanes());
    return is_in_parts(found);
}

// The page of a line that is kept in words; 0 if it may not be. What the first cache has of this may be old, but lines are kept in words for good.
template <typename Needs> static __device__ __forceinline__ u64 near_page(const Needs &needs, u64 address) {
    u32 number = (u32)(address >> PAGE_BITS) - needs.first_page();
    if (number >= needs.table_pages()) return 0;
    u64 page = read_global(needs.page_table() + (u64)number * 8);
    if (page & 1) return page - 1;
    if (page == 0) return 0;
    u32 lines;
    asm("ld.global.b32 %0, [%1];" : "=r"(lines) : "l"(page + PAGE_LINES + ((u32)address >> 12 & 15) * 4));
    return lines >> ((u32)address >> 7 & 31) & 1 ? page : 0;
}

// Nobody waits for other lanes here: a wait for lanes that are not known to be all takes as long as the rest.
template <typename Needs> static __device__ __forceinline__ void by_words(const Needs &needs, u64 me) {
    u64 address = needs.address(), page = near_page(needs, address);
    u32 how = needs.how(), bits = (u32)(needs.names() >> 48);
    bool is_done = false, is_usual = page != 0 && (((how >> BYTES_PLACE) | (u32)address) & (WORD_BYTES - 1)) == 0;
    if (how >> BYTES_PLACE == WORD_BYTES) {
        typename Needs::OneLaunch launch = {needs.base(), needs.count(), (u64)bits << 48};
        if (is_usual) is_done = how & WRITES ? !word_is_in_bytes(needs, launch, me, page, address) : word_is_read(launch, me, word_at(page, address));
    } else if (is_usual && !(how & WRITES)) {
        is_done = ws_hb_usual(page, (u32)address, me, needs.base(), needs.count(), bits, how);
    }
    if (!is_done)
        ws_hb_each_word(needs.head(), address, me, needs.value(), needs.value_bytes(), needs.base(), needs.count(), needs.names(), how, needs.lanes());
}

// The same as a function, for kernels with so many accesses that their code would take too long to assemble.
extern "C" __device__ __noinline__ void ws_hb_by_words(u64 head, u64 address, u64 me, u64 value, u32 value_bytes, u32 base, u32 count, u64 names, u32 how) {
    Given given = {head, address, me, value, value_bytes, base, count, names, how};
    by_words(given, me);
}

template <bool IS_CALLED> static __device__ __forceinline__ void by_words(u64 me) {
    if (IS_CALLED)
        ws_hb_by_words(context_entries(), in_address(), me, in_value(), in_value_bytes(), in_base(), context_identities(), context_names(), in_how());
    else by_words(InPlace(), me);
}

// An access of global memory.
template <bool IS_CALLED> static __device__ __forceinline__ void global() {
    u32 lanes = lanes_here();
    by_words<IS_CALLED>(own_entry());
    reconverge(lanes);
}

// A read of which each lane has its own number of bytes. Lanes wait for each other where they access several words, so they do so word by word.
extern "C" __device__ void ws_hb_global_bytes() {
    u64 me = own_entry(), address = in_address();
    u32 lanes = lanes_here(), bytes = in_how() >> BYTES_PLACE;
#pragma unroll 1
    for (u32 offset = 0; offset < bytes; offset += WORD_BYTES) {
        u32 how = min(bytes - offset, WORD_BYTES) << BYTES_PLACE;
        ws_hb_by_words(context_entries(), address + offset, me, 0, 0, in_base(), context_identities(), context_names(), how);
    }
    reconverge(lanes);
}

// An update of words that are not known to be done with. `page` is that of a line that is kept in words, or 0.
extern "C" __device__ __noinline__ void ws_hb_update(u64 head, u64 page, u64 address, u64 me, u32 base, u32 count, u64 names, u32 how) {
    Launch launch = {base, count, names};
    bool is_done = page != 0 && ((u32)address & (WORD_BYTES - 1)) == 0;
#pragma unroll 1
    for (u32 offset = 0; is_done && offset < how >> BYTES_PLACE; offset += WORD_BYTES)
        is_done = word_is_updated(launch, ((const EntriesHead *)head)->bytes, me, word_at(page, address + offset));
    if (!is_done) ws_hb_each_word(head, address, me, 0, 0, base, count, names, how, lanes_of(me, __activemask()));
}

// Atomic updates, each lane for itself. A word that several blocks have updated is done with at a glance.
static __device__ __forceinline__ void global_update() {
    InPlace needs;
    u64 address = needs.address(), page = near_page(needs, address);
    u32 how = needs.how();
    if (page != 0 && how >> BYTES_PLACE == WORD_BYTES) {
        LaunchInPlace launch = {needs.base(), needs.count(), 0};
        u64 found = read_from_global(word_at(page, address).reader);
        if (is_only_updated(found) && !launch.is_old(updater_in(found)) && (found & LEVEL) == BLOCKS) return;
    }
    ws_hb_update(needs.head(), page, address, own_entry(), needs.base(), needs.count(), needs.names(), how);
}

extern "C" __device__ void ws_hb_global_update() {
    u32 lanes = lanes_here();
    global_update();
    reconverge(lanes);
}

extern "C" __device__ void ws_hb_global() { global<false>(); }
extern "C" __device__ void ws_hb_global_called() { global<true>(); }

// A read that is expected to be of the same address in all lanes: if the warp is here as a whole, one of them does it for all.
template <bool IS_CALLED> static __device__ __forceinline__ void global_read() {
    u64 me = own_entry(), address = in_address();
    u32 lanes = lanes_here();
    bool is_one = false;
    if (lanes == ~0u) is_one = !__any_sync(~0u, __shfl_sync(~0u, address, 0) != address);
    if (is_one) me |= LANES;
    if (!is_one || lane_of(me) == 0) by_words<IS_CALLED>(me);
    reconverge(lanes);
}

extern "C" __device__ void ws_hb_global_read() { global_read<false>(); }
extern "C" __device__ void ws_hb_global_read_called() { global_read<true>(); }
