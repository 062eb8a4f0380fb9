// hb on the device, for kernels whose blocks never meet: what stands around their instructions. Whole lines that nobody else has accessed in
// this launch are done with in place; the rest is behind calls.
#include "hb_copies.h"
#include "hb_owners.h"

// How an access is made: bits of `hb_layout.h`, and its bytes above.
WS_INPUT_32(how)
// What it stores, and how many bytes of that are known.
WS_INPUT_64(value)
WS_INPUT_32(value_bytes)
// Bytes of shared memory that have entries of their own, as a power of two, and the bytes of these entries, likewise.
WS_INPUT_32(granule_shift)
WS_INPUT_32(entry_shift)

static __device__ __forceinline__ u64 own_entry() { return in_self() | (u64)in_site() << SITE_PLACE | (in_how() & BY_READ_ONLY_PATH ? READ_ONLY_PATH : 0); }

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
        u32 from = index == 0 ? start : 0, to = start + bytes - index * 4;
        u32 covered = (0xFu << from) & (to >= 4 ? 0xF : (1u << to) - 1);
        bool by_bytes = false;
        u32 here = lanes_of(me, __ballot_sync(lanes, is_there && covered == 0xF));
        if (!is_there || covered != 0xF) {
            by_bytes = is_there;
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
            bool is_word = by_bytes && !is_in_parts(parted);
            u32 peers = __match_any_sync(lanes, word);
            if (is_word && (u32)__ffs(peers) - 1 == lane_of(me)) part_word(who, word, page);
            __syncwarp(lanes);
            if (by_bytes) parted = read_entry(location.reader);
            by_bytes = by_bytes && is_in_parts(parted);
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
static __device__ __forceinline__ bool word_is_read(const Launch &launch, u64 me, const Location &word) {
    u64 reader = read_from_global(word.reader);
#pragma unroll 1
    for (u32 attempt = 0; attempt < 3; attempt++) {
        if (is_in_parts(reader)) return false;
        u64 wanted = joined(launch, reader, me);
        if (wanted == reader) return !((reader ^ me) & READ_ONLY_PATH);
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

// Where the entries of a line are; 0 where the table does not say.
static __device__ __forceinline__ u64 near_line(u64 address) {
    u32 number = (u32)(address >> CHUNK_BITS) - context_first_chunk();
    if (number >= context_chunks()) return 0;
    u64 chunk = read_global(context_line_table() + (u64)number * 8);
    return chunk == 0 ? 0 : chunk + ((u32)address >> LINES_PLACE_SHIFT & ((1u << (CHUNK_BITS - LINES_PLACE_SHIFT)) - 16));
}

// What the check of an access needs, where it stands in place: each is asked for where it is wanted.
struct InPlace {
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
template <typename Needs> static __device__ __forceinline__ bool word_is_in_bytes(const Needs &needs, const Launch &launch, u64 me, u64 page, u64 address) {
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
    u32 how = needs.how(), bits = (u32)(needs.names() >> 48) & 0xFF;
    bool is_done = false, is_usual = page != 0 && (((how >> BYTES_PLACE) | (u32)address) & (WORD_BYTES - 1)) == 0;
    if (how >> BYTES_PLACE == WORD_BYTES) {
        Launch launch = {needs.base(), needs.count(), (u64)bits << 48};
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

// Lanes of a warp do not always reconverge behind a function that only some of them have called. All that follows would be done several times.
static __device__ __forceinline__ void reconverge(u32 lanes) {
    if (lanes == ~0u) __syncwarp(~0u);
}

// An access of global memory.
template <bool IS_CALLED> static __device__ __forceinline__ void global() {
    u32 lanes = lanes_here();
    by_words<IS_CALLED>(own_entry());
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

// Whole lines, one for each lane: which line, and how it is accessed, by bits of `hb_layout.h`; whether lanes turned out not to be side by side; and how many
// lanes have a line.
WS_INPUT_64(line)
WS_INPUT_32(access)
WS_INPUT_32(apart)
WS_INPUT_32(lines)

static __device__ __forceinline__ void out_left(u32 left) { asm volatile("ws.out.b32 left, %0;" ::"r"(left) : "memory"); }

// Whether nobody is beside, or this warp has read what it writes.
static __device__ __forceinline__ bool is_quiet(const Launch &launch, u64 beside, u64 me, bool writes) {
    return launch.is_old(beside) || (writes && ((beside ^ me) & ~SITE) == 0);
}

// Whether an entry of this launch says what there is to say of `me`.
static __device__ __forceinline__ bool has_entered(u64 entry, u64 me, bool writes) {
    return ((entry ^ me) & ~(SITE | (writes ? 0 : READ_ONLY_PATH))) == 0 || (!writes && (entry & LEVEL) == BLOCKS);
}

// Whether nothing but this warp, in this launch, has to do with a line; then it has its entry.
template <bool IS_WIDE> static __device__ __forceinline__ bool is_done(const Launch &launch, u64 place, Both found, u64 me, bool writes) {
    u64 before = writes ? found.writer : found.reader, beside = writes ? found.reader : found.writer;
    if (!is_quiet(launch, beside, me, writes)) return false;
    if (!launch.is_old(before)) return has_entered(before, me, writes);
    return replace<IS_WIDE>(place, found, me, writes);
}

// The same where a warp reads a line and then writes it: both entries are replaced in one step, so only where a device can do that.
static __device__ __forceinline__ bool is_updated(const Launch &launch, u64 place, Both found, Both own) {
    bool is_own = ((found.reader ^ own.reader) & ~SITE) == 0;
    if (!(launch.is_old(found.reader) || is_own)) return false;
    if (!launch.is_old(found.writer)) return is_own && ((found.writer ^ own.writer) & ~SITE) == 0;
    return swap_both(place, found, own);
}

// The entry of a line that a warp accesses.
static __device__ __forceinline__ u64 line_entry(u64 self, u32 access) {
    u64 shape = (u64)(access >> ACCESS_SHAPE & 31) << LANE_PLACE, site = (u64)(access & ACCESS_SITE) << SITE_PLACE;
    return (self & ~LANE_BITS) | shape | site | (access & ACCESS_BY_READ_ONLY_PATH ? READ_ONLY_PATH : 0);
}

// A line, by one lane of the warp. Whether it is left to be accessed word by word.
template <bool IS_WIDE, bool CAN_UPDATE> static __device__ __forceinline__ u32 whole_line(u64 self) {
    u32 access = in_access();
    u64 me = line_entry(self, access);
    u64 line = in_line(), place = near_line(line);
    bool writes = access & ACCESS_WRITES;
    Launch launch = {in_base(), context_identities(), 0};
    Both found = {0, IN_PARTS};
    if (place != 0) found = read_both(place);
    if (is_in_parts(found.reader)) return true;
    if (CAN_UPDATE && access >> ACCESS_READ != 0) {
        u64 reader = line_entry(self, (access & ~ACCESS_SITE) | ((access >> ACCESS_READ) - 1));
        if (is_updated(launch, place, found, {me, reader})) return false;
        if (ws_hb_line(context_entries(), place, line, reader, in_base(), context_identities(), context_names(), 0)) return true;
    } else if (is_done<IS_WIDE>(launch, place, found, me, writes)) {
        return false;
    }
    return ws_hb_line(context_entries(), place, line, me, in_base(), context_identities(), context_names(), writes ? WRITES : 0);
}

// In a loop, a warp collects the lines that it accesses, one in each lane, until all lanes have one or the loop ends. A lane keeps the line and how it is accessed in one
// word: half of that is where lines have no bits of their addresses, and the rest above addresses. No line is 0.
constexpr u32 ACCESS_BITS = ACCESS_READ, LINE_BITS = 7, COLLECTED_ACCESS = 64 - (ACCESS_BITS - LINE_BITS);
constexpr u64 COLLECTED_LINE = (1ull << COLLECTED_ACCESS) - LINE_BYTES;
static_assert(1u << LINE_BITS == LINE_BYTES, "what is below a line");

// The line of this lane; how many lanes have one; and how many lanes there are from the first one without a line to this one.
WS_INPUT_64(collected)
WS_INPUT_32(taken)
WS_INPUT_32(behind)

static __device__ __forceinline__ void out_collected(u64 line) { asm volatile("ws.out.b64 collected, %0;" ::"l"(line) : "memory"); }
static __device__ __forceinline__ void out_taken(u32 taken) { asm volatile("ws.out.b32 taken, %0;" ::"r"(taken) : "memory"); }

// The line of a lane, which comes here by itself or with others.
extern "C" __device__ __noinline__ void ws_hb_collected(u64 head, u64 collected, u64 self, u32 base, u32 count, u64 names) {
    u32 access = (u32)collected & (LINE_BYTES - 1) | (u32)(collected >> COLLECTED_ACCESS) << LINE_BITS;
    bool writes = access & ACCESS_WRITES;
    u64 line = collected & COLLECTED_LINE, me = line_entry(self, access);
    if (line == 0) return;
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, 0, writes ? (u32)WRITES : 0};
    u64 chunk = chunk_of(who.head->shadow, line);
    if (chunk == 0) return note_gap(who.head, GAP_UNKNOWN_MEMORY);
    u64 place = line_in(chunk, line);
    Both found = read_both(place);
    if (!is_in_parts(found.reader) && is_done<true>(who.launch, place, found, me, writes)) return;
    if (!access_line(who, line, place)) return;
    // The line is kept in words.
    u64 page = read_entry(page_place(chunk, line));
    if (page == 0) return note_gap(who.head, GAP_NO_ROOM);
    if (writes) enter_words(who, line, page, me);
    else enter_readers(who, line, page, me, (u16)site_of(me));
}

static __device__ __forceinline__ void check_collected(u64 collected) {
    ws_hb_collected(context_entries(), collected, in_self(), in_base(), context_identities(), context_names());
}

// Several accesses whose lanes are side by side. Which lanes' lines are left to be accessed word by word. `access_line` does that of a lane.
template <typename AccessLine> static __device__ __forceinline__ void side_by_side(AccessLine access_line) {
    u32 left = ~0u;
    if (__all_sync(of_each_lane(~0u), in_apart() == 0)) {
        u64 self = in_self();
        left = 0;
        if (lane_of(self) < in_lines()) left = access_line(self);
        left = __ballot_sync(of_each_lane(~0u), left);
    }
    out_left(left);
}

// With the atomics of 128 bits that devices have from compute capability 9.0 on, and without. Where lines are read and written in one step, that takes a little more.
extern "C" __device__ void ws_hb_lines() { side_by_side(whole_line<true, false>); }
extern "C" __device__ void ws_hb_updated_lines() { side_by_side(whole_line<true, true>); }
extern "C" __device__ void ws_hb_narrow_lines() { side_by_side(whole_line<false, false>); }

// Accesses whose lanes are side by side, in a loop.
extern "C" __device__ void ws_hb_collect_lines() {
    u32 left = ~0u;
    if (__all_sync(of_each_lane(~0u), in_apart() == 0)) {
        u32 taken = in_taken() + in_lines(), access = in_access();
        u64 collected = in_collected();
        if (in_behind() < in_lines()) collected = in_line() | (access & (LINE_BYTES - 1)) | (u64)(access >> LINE_BITS) << COLLECTED_ACCESS;
        left = 0;
        // There is no room for as many once more.
        if (taken + in_lines() > 32) {
            check_collected(collected);
            __syncwarp(of_each_lane(~0u));
            collected = 0, taken = 0;
        }
        out_collected(collected);
        out_taken(taken);
    }
    out_left(left);
}

// The loop has ended, or the interval does. Lanes may come by themselves.
extern "C" __device__ void ws_hb_check_collected() {
    u64 collected = in_collected();
    u32 lanes = lanes_here();
    if (collected != 0) check_collected(collected);
    out_collected(0);
    reconverge(lanes);
}

// Shared memory has its entries behind it, in the block itself.
static __device__ __forceinline__ u32 shared_entries(u32 address, u32 granule_shift, u32 entry_shift) {
    u32 offset = address - context_shared_start();
    return context_shared_start() + context_shared_stride() + (offset >> granule_shift << entry_shift);
}

// `start` and `stride` are where the block's own memory begins and how large it is, and `shifts` those of a granule and its entries.
extern "C" __device__ __noinline__ void ws_hb_shared(u64 head, u32 start, u32 stride, u32 address, u64 me, u64 value, u32 value_bytes, u32 base, u32 count,
                                                     u64 names, u32 how, u32 shifts, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me | (how & VOLATILE ? IS_VOLATILE : 0), lanes, how | IN_SHARED};
    Stored stored = {value, value_bytes};
    SharedPlaces places = {start, stride, shifts};
    Location location = places.at(address);
    u32 granule = places.granule(), entry = 1u << (shifts >> 8), granules = ((how >> BYTES_PLACE) + granule - 1) / granule;
#pragma unroll 1
    for (u32 index = 0; index < granules; index++, address += granule) {
        if (how & UPDATES) {
            update_location(who, address, location);
        } else {
            if (how & WRITES) write_location(who, address, location, stored);
            else read_location(who, address, location);
            if (how & HAS_UPDATES) judge_updates(who, address, location);
        }
        location = {location.writer + entry, location.reader + entry, location.updater + entry, location.witness + 2};
    }
}

static __device__ __forceinline__ void shared_access(u64 me, u32 address, u32 lanes) {
    ws_hb_shared(context_entries(), context_shared_start(), context_shared_stride(), address, me, in_value(), in_value_bytes(), in_base(), context_identities(),
                 context_names(), in_how(), in_granule_shift() | in_entry_shift() << 8, lanes);
}

// An access of shared memory of any kind.
extern "C" __device__ void ws_hb_shared_any() {
    shared_access(own_entry(), (u32)in_address(), lanes_here());
}

// What a store of one granule has replaced, where that was not simply older.
extern "C" __device__ __noinline__ void ws_hb_shared_stored(u64 head, u32 address, u64 me, u64 before, u64 value, u32 value_bytes, u32 base,
                                                            u32 count, u64 names, u32 how, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how | IN_SHARED};
    judge_writers(who, address, before, {value, value_bytes});
}

// A store of one granule that no load shares an interval with.
extern "C" __device__ void ws_hb_shared_store() {
    u64 me = own_entry(), before;
    u32 place = shared_entries((u32)in_address(), in_granule_shift(), in_entry_shift());
    asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(before) : "r"(place), "l"(me) : "memory");
    // Of an earlier interval, or this lane's own.
    bool is_done = identity_of(before) != identity_of(me) || ((before ^ me) & ~SITE) == 0;
    u32 lanes = lanes_here();
    if (!__any_sync(lanes, !is_done)) return;
    ws_hb_shared_stored(context_entries(), (u32)in_address(), me, before, in_value(), in_value_bytes(), in_base(), context_identities(), context_names(),
                        in_how(), lanes);
}

// What an owner's entry was before, and whether a check has more to do.
WS_INPUT_32(before)
WS_INPUT_32(left)

static __device__ __forceinline__ void out_before(u32 before) { asm volatile("ws.out.b32 before, %0;" ::"r"(before) : "memory"); }

// A store of one granule where entries say who stored last alone, in three steps: many of them are entered before all lanes ask whether there is more to do.
extern "C" __device__ void ws_hb_enter_owner() {
    u32 owner = owner_of(own_entry()), before = exchange_owner(shared_entries((u32)in_address(), in_granule_shift(), in_entry_shift()), owner);
    out_before(before);
    out_left(in_left() | (is_owned(before, owner) ? 0 : 1));
}

extern "C" __device__ void ws_hb_owners_left() { out_left(__any_sync(lanes_here(), in_left() != 0)); }

extern "C" __device__ void ws_hb_judge_owner() {
    u64 me = own_entry();
    ws_hb_shared_stored(context_entries(), (u32)in_address(), me, writer_of(in_before(), me), in_value(), in_value_bytes(), in_base(), context_identities(),
                        context_names(), in_how(), lanes_here());
}

// A store of several granules. `place` is where the entry of the first one is.
extern "C" __device__ __noinline__ void ws_hb_shared_own(u64 head, u32 place, u32 granule, u32 address, u64 me, u64 value, u32 value_bytes, u32 base, u32 count,
                                                         u64 names, u32 how, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how | IN_SHARED};
#pragma unroll 1
    for (u32 offset = 0; offset < how >> BYTES_PLACE; offset += granule, place += 4)
        judge_writers(who, address + offset, writer_of(exchange_owner(place, owner_of(me)), me), {value, value_bytes});
}

extern "C" __device__ void ws_hb_shared_owners() {
    u32 address = (u32)in_address();
    ws_hb_shared_own(context_entries(), shared_entries(address, in_granule_shift(), in_entry_shift()), 1u << in_granule_shift(), address, own_entry(), in_value(),
                     in_value_bytes(), in_base(), context_identities(), context_names(), in_how(), lanes_here());
}

// A load of one granule.
extern "C" __device__ void ws_hb_shared_load() {
    u64 me = own_entry(), writer, reader;
    u32 place = shared_entries((u32)in_address(), in_granule_shift(), in_entry_shift());
    asm volatile("ld.volatile.shared.v2.b64 {%0, %1}, [%2];" : "=l"(writer), "=l"(reader) : "r"(place) : "memory");
    bool is_done = false;
    if (identity_of(writer) != identity_of(me)) {
        is_done = ((reader ^ me) & ~SITE) == 0;
        if (identity_of(reader) != identity_of(me)) {
            u64 now, then;
            asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;" : "=l"(now) : "r"(place + 8), "l"(reader), "l"(me) : "memory");
            asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(then) : "r"(place) : "memory");
            is_done = now == reader && then == writer;
        }
    }
    u32 lanes = lanes_here();
    u32 others = __ballot_sync(lanes, !is_done);
    if (!is_done) shared_access(me, (u32)in_address(), others);
}

// What a thread keeps of its asynchronous copies; what a copy reads, and how many bytes; and of how many groups copies may be pending behind a wait, of all ones
// where those are waited for that are in no group yet, too.
WS_INPUT_64(copies)
WS_INPUT_64(source)
WS_INPUT_32(source_bytes)
WS_INPUT_32(groups_left)

extern "C" __device__ __noinline__ void ws_hb_begin_copy(u64 head, u32 start, u32 stride, u32 address, u64 me, u32 base, u32 count, u64 names, u32 how, u32 shifts,
                                                         u32 lanes, u64 source, u32 source_bytes, u64 copies) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how | IN_SHARED};
    begin_copy(who, {start, stride, shifts}, address, source, source_bytes, (Copies *)copies);
}

extern "C" __device__ __noinline__ void ws_hb_settle_copies(u64 head, u64 self, u32 start, u32 stride, u32 base, u32 count, u64 names, u32 shifts, u64 copies,
                                                            u32 groups_left) {
    settle_copies({(EntriesHead *)head, {base, count, names}, self, 0, 0}, {start, stride, shifts}, (Copies *)copies, groups_left);
}

extern "C" __device__ __noinline__ void ws_hb_leave_copies(u64 head, u64 self, u32 base, u32 count, u64 names, u64 copies) {
    leave_copies({(EntriesHead *)head, {base, count, names}, self, 0, 0}, (Copies *)copies);
}

// A thread begins without copies.
extern "C" __device__ void ws_hb_copies() {
    Copies *copies = (Copies *)in_copies();
    copies->begun = copies->settled = copies->group = 0;
}

extern "C" __device__ void ws_hb_copy() {
    ws_hb_begin_copy(context_entries(), context_shared_start(), context_shared_stride(), (u32)in_address(), own_entry(), in_base(), context_identities(),
                     context_names(), in_how(), in_granule_shift() | in_entry_shift() << 8, lanes_here(), in_source(), in_source_bytes(), in_copies());
}

extern "C" __device__ void ws_hb_copy_group() { ((Copies *)in_copies())->group++; }

extern "C" __device__ void ws_hb_copies_waited() {
    ws_hb_settle_copies(context_entries(), in_self(), context_shared_start(), context_shared_stride(), in_base(), context_identities(), context_names(),
                        in_granule_shift() | in_entry_shift() << 8, in_copies(), in_groups_left());
}

extern "C" __device__ void ws_hb_copies_left() {
    ws_hb_leave_copies(context_entries(), in_self(), in_base(), context_identities(), context_names(), in_copies());
}

// By a generic address: whose memory it is shows now. Local memory is each thread's own.
template <bool IS_CALLED> static __device__ __forceinline__ void generic() {
    u64 me = own_entry(), address = in_address();
    bool is_shared = __isShared((const void *)address), is_global = !is_shared && __isGlobal((const void *)address);
    u32 lanes = lanes_here();
    u32 in_shared = __ballot_sync(lanes, is_shared);
    if (is_global) by_words<IS_CALLED>(me);
    if (is_shared) shared_access(me, (u32)__cvta_generic_to_shared((const void *)address), in_shared);
}

extern "C" __device__ void ws_hb_generic() { generic<false>(); }
extern "C" __device__ void ws_hb_generic_called() { generic<true>(); }

// The kernel begins: a lane knows itself by its entry. Its block and warp come from what was known of it before.
extern "C" __device__ void ws_hb_begin() {
    u64 self = in_self();
    u32 thread = (u32)(self >> REPORTED_LANE), warp = thread / 32 - in_first_warp(), block = in_first_warp() / in_warps_per_block();
    u32 bits = (u32)(context_names() >> 48) & 0xFF;
    u64 identity = in_base() + (block << bits);
    out_self(identity << IDENTITY_PLACE | (u64)warp << WARP_PLACE | (u64)(thread % 32) << LANE_PLACE);
}

// Clears the entries of shared memory, as the thread of a number among so many.
static __device__ __forceinline__ void clear_shared(u32 thread, u32 threads) {
    u32 start = context_shared_start() + context_shared_stride(), bytes = context_shared_stride() >> in_granule_shift() << in_entry_shift();
    for (u32 offset = thread * 16; offset < bytes; offset += threads * 16)
        asm volatile("st.shared.v2.b64 [%0], {%1, %1};" ::"r"(start + offset), "l"(0ull) : "memory");
}

// The entries of shared memory begin empty.
extern "C" __device__ void ws_hb_begin_shared() {
    clear_shared(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), blockDim.x * blockDim.y * blockDim.z);
    asm volatile("bar.sync 0;" ::: "memory");
}

// All threads of the block have met: the next interval. A block that has no identities left is not checked from here on.
static __device__ __forceinline__ u64 next_interval(u64 self) {
    self &= ~(EPOCH | WRAPPED);
    if (identity_of(self) == 0) return self;
    self += 1ull << IDENTITY_PLACE;
    u32 bits = (u32)(context_names() >> 48) & 0xFF;
    if (((identity_of(self) - in_base()) & ((1u << bits) - 1)) == 0) {
        note_gap((EntriesHead *)context_entries(), GAP_INTERVALS);
        self &= (1ull << IDENTITY_PLACE) - 1;
    }
    return self;
}

extern "C" __device__ void ws_hb_block_barrier() { out_self(next_interval(in_self())); }

// The same where entries have the lowest bits of identities alone, which are used again now and then. Some threads may have left, so that each one clears all entries.
extern "C" __device__ void ws_hb_block_barrier_of_owners() {
    u64 self = next_interval(in_self());
    if (identity_of(self) % OWNER_INTERVALS == 0) {
        clear_shared(0, 1);
        asm volatile("barrier.sync 0;" ::: "memory");
    }
    out_self(self);
}

// All lanes of the warp have met.
extern "C" __device__ void ws_hb_warp_barrier() {
    u64 self = in_self();
    u64 epoch = (self + (1ull << EPOCH_PLACE)) & EPOCH;
    out_self((self & ~EPOCH) | epoch | (epoch == 0 ? WRAPPED : 0));
}
