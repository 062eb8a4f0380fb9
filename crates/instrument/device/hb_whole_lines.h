// Accesses of global memory whose lanes are side by side: whole lines, each by one lane of the warp. Those that nobody else has accessed in this launch are done with in
// place; the rest is behind calls.
#pragma once
#include "hb_global.h"

// Whole lines, one for each lane: which line, and how it is accessed, by bits of `hb_layout.h`; whether lanes turned out not to be side by side; and how many
// lanes have a line.
WS_INPUT_64(line)
WS_INPUT_32(access)
WS_INPUT_32(apart)
WS_INPUT_32(lines)

// Whether nobody is beside, or this warp has read what it writes.
static __device__ __forceinline__ bool is_quiet(const LaunchInPlace &launch, u64 beside, u64 me, bool writes) {
    return launch.is_old(beside) || (writes && ((beside ^ me) & ~SITE) == 0);
}

// Whether an entry of this launch says what there is to say of `me`.
static __device__ __forceinline__ bool has_entered(u64 entry, u64 me, bool writes) {
    return ((entry ^ me) & ~(SITE | (writes ? 0 : READ_ONLY_PATH))) == 0 || (!writes && (entry & LEVEL) == BLOCKS);
}

// Whether nothing but this warp, in this launch, has to do with a line; then it has its entry.
template <bool IS_WIDE> static __device__ __forceinline__ bool is_done(const LaunchInPlace &launch, u64 place, Both found, u64 me, bool writes) {
    u64 before = writes ? found.writer : found.reader, beside = writes ? found.reader : found.writer;
    if (!is_quiet(launch, beside, me, writes)) return false;
    if (!launch.is_old(before)) return has_entered(before, me, writes);
    return replace<IS_WIDE>(place, found, me, writes);
}

// The same where a warp reads a line and then writes it: both entries are replaced in one step, so only where a device can do that.
static __device__ __forceinline__ bool is_updated(const LaunchInPlace &launch, u64 place, Both found, Both own) {
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

// The chunk of entries that a line's are in; 0 where the table does not say.
static __device__ __forceinline__ u64 near_chunk(u64 address) {
    u32 number = (u32)(address >> CHUNK_BITS) - context_first_chunk();
    if (number >= context_chunks()) return 0;
    return read_global(context_line_table() + (u64)number * 8);
}

// Where the entries of a line are in their chunk.
static __device__ __forceinline__ u32 line_offset(u64 address) { return (u32)address >> LINES_PLACE_SHIFT & ((1u << (CHUNK_BITS - LINES_PLACE_SHIFT)) - 16); }

// A line, by one lane of the warp. Whether it is left to be accessed word by word.
template <bool IS_WIDE, bool CAN_UPDATE> static __device__ __forceinline__ u32 whole_line(u64 self) {
    u32 access = in_access();
    u64 me = line_entry(self, access);
    u64 line = in_line(), chunk = near_chunk(line);
    bool writes = access & ACCESS_WRITES;
    if (chunk == 0) return true;
    u64 place = chunk + line_offset(line);
    LaunchInPlace launch = {in_base(), context_identities(), 0};
    Both found = read_both(place);
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
    if (!is_in_parts(found.reader) && is_done<false>(LaunchInPlace{base, count, names}, place, found, me, writes)) return;
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

// Makes room for lines, if the whole warp is here: where too few lanes are without one, all are checked.
extern "C" __device__ void ws_hb_make_room() {
    if (in_taken() + in_lines() <= 32) return;
    if (lanes_here() != ~0u) return;
    check_collected(in_collected());
    __syncwarp(of_each_lane(~0u));
    out_collected(0);
    out_taken(0);
}

// Accesses whose lanes are side by side, in a loop. There is room for their lines.
extern "C" __device__ void ws_hb_collect_lines() {
    u32 access = in_access(), lines = in_lines();
    if (in_behind() < lines) out_collected(in_line() | (access & (LINE_BYTES - 1)) | (u64)(access >> LINE_BITS) << COLLECTED_ACCESS);
    out_taken(in_taken() + lines);
}

// The loop has ended, or the interval does. Lanes may come by themselves.
extern "C" __device__ void ws_hb_check_collected() {
    u64 collected = in_collected();
    u32 lanes = lanes_here();
    if (collected != 0) check_collected(collected);
    out_collected(0);
    reconverge(lanes);
}
