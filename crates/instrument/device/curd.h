// CURD's sets while a kernel runs: accesses go to lists, and the threads of a block are compared at its barriers.
//
// Where lanes come to an instruction again and again (`run`), or an access matters only to the block (`fixed`), a thread keeps the
// last region in registers: most accesses then cost a comparison and an addition, and nothing is written. Lists of a
// block are complete, and looked at, only where somebody wrote since the last barrier.
#pragma once
#include "curd_strips.h"

// What the instrumenter knows of an access: `sets/expanding.rs` has the same names.
WS_INPUT_32(size)
WS_INPUT_32(run_stride)
WS_INPUT_32(run_count)
WS_INPUT_32(flags)
// The place of its entry among those of its warp, and how many a warp has.
WS_INPUT_32(place)
WS_INPUT_32(quota)
// The block's words in shared memory, in kernels whose blocks are compared while they run.
WS_INPUT_32(block)
// What a thread keeps of the instruction: the last address, the distance from the one before, how many there were, and how many of
// them before the last barrier.
WS_INPUT_64(last)
WS_INPUT_32(stride)
WS_INPUT_32(count)
WS_INPUT_32(mark)
WS_INPUT_32(threads)

#define WS_OUTPUT_64(name)                                                                         \
    static __device__ __forceinline__ void out_##name(u64 value) { asm volatile("ws.out.b64 " #name ", %0;" ::"l"(value) : "memory"); }
#define WS_OUTPUT_32(name)                                                                         \
    static __device__ __forceinline__ void out_##name(u32 value) { asm volatile("ws.out.b32 " #name ", %0;" ::"r"(value) : "memory"); }
WS_OUTPUT_64(last)
WS_OUTPUT_32(stride)
WS_OUTPUT_32(count)
WS_OUTPUT_32(mark)
WS_OUTPUT_32(checks)

static const u32 NO_PLACE = ~0u;
static const u32 WHOLE_WARP = ~0u;

// What entries of one access have in common.
struct Common {
    u32 site, warp, flags, size, tag, time;
};

static __device__ __forceinline__ Entry entry_of(const Common &common, u64 start, u32 mask, s32 lane_stride, s32 run_stride,
                                                 u32 run_count, u32 more_flags) {
    const u32 half = (1u << TIME_BITS) - 1;
    Entry entry;
    entry.start = start | (u64)common.site << SITE_SHIFT;
    entry.mask = mask;
    entry.lane_stride = lane_stride;
    entry.run_stride = run_stride;
    entry.run_count = run_count | (common.time & half) << RUN_BITS;
    entry.who = common.warp | (common.flags | more_flags) << FLAG_SHIFT;
    entry.shape = common.size | (common.time >> TIME_BITS & half) << SIZE_BITS | common.tag << TAG_SHIFT;
    return entry;
}

// Whether all lanes of a warp lie at equal distances, as most do.
static __device__ __forceinline__ bool is_one_strip(u32 active, u64 start, s32 run_stride, u32 run_count, s32 &lane_stride) {
    if (active != WHOLE_WARP) return false;
    u64 base = __shfl_sync(WHOLE_WARP, start, 0);
    s64 apart = (s64)(__shfl_sync(WHOLE_WARP, start, 1) - base);
    lane_stride = (s32)apart;
    bool is_alike = __shfl_sync(WHOLE_WARP, run_stride, 0) == run_stride & __shfl_sync(WHOLE_WARP, run_count, 0) == run_count;
    return __all_sync(WHOLE_WARP, is_alike & (apart == lane_stride) & (start == base + (s64)lane_stride * own_lane()));
}

// The next strip of the lanes of `todo`: those that lie as the first two of them do.
static __device__ __forceinline__ u32 strip_of_lanes(u32 active, u32 todo, u64 start, s32 run_stride, u32 run_count, s32 &lane_stride) {
    u32 lane = own_lane(), leader = first_lane(todo);
    u64 base = __shfl_sync(active, start, leader);
    // All lanes take part in every exchange, whether they have something to say or not.
    s32 its_stride = __shfl_sync(active, run_stride, leader);
    u32 its_count = __shfl_sync(active, run_count, leader);
    bool is_alike = (todo >> lane & 1) && its_stride == run_stride && its_count == run_count;
    u32 alike = __ballot_sync(active, is_alike) & ~(1u << leader);
    u32 second = alike ? first_lane(alike) : leader;
    s64 apart = (s64)(__shfl_sync(active, start, second) - base);
    bool is_near = apart == (s32)apart;
    lane_stride = is_near ? (s32)apart : 0;
    if (second - leader > 1) lane_stride /= (s32)(second - leader);
    bool fits = is_alike && start == base + (s64)lane_stride * (s32)(lane - leader);
    return __ballot_sync(active, fits) | 1u << leader;
}

// Writes down what the active lanes accessed, for the grid: lanes that are not one strip.
extern "C" __device__ __noinline__ void ws_curd_note(u64 all_sets, u64 start, s32 run_stride, u32 run_count, u32 size, u32 site,
                                                     u32 flags, u32 warp, u32 time, u32 launch) {
    OfGrid sink = {(Sets *)all_sets, warp, NO_PLACE};
    Common common = {site, warp, flags, size, tag_of(launch), time};
    u32 active = __activemask(), lane = own_lane(), todo = active;
    while (todo) {
        s32 lane_stride;
        u32 members = strip_of_lanes(active, todo, start, run_stride, run_count, lane_stride), leader = first_lane(todo);
        u32 more = 0;
        if (__popc(todo) > 4 && __popc(members) * 4 <= __popc(todo)) {
            // Scattered lanes share an entry, with a row of their distances.
            u64 base = __shfl_sync(active, start, leader);
            s32 its_stride = __shfl_sync(active, run_stride, leader);
            u32 its_count = __shfl_sync(active, run_count, leader);
            s64 apart = (s64)(start - base);
            bool is_near = (todo >> lane & 1) && apart == (s32)apart && its_stride == run_stride && its_count == run_count;
            u32 near = __ballot_sync(active, is_near);
            u32 row = lane == leader ? sink.row() : 0;
            row = __shfl_sync(active, row, leader);
            if (row != ~0u) {
                members = near;
                more = SCATTERED;
                lane_stride = (s32)row;
                if (is_near) ((s32 *)sink.sets->rows)[(u64)row * 32 + lane] = (s32)apart;
            }
        }
        if (lane == leader) {
            u64 place = sink.place(false, 0);
            if (place) put(place, entry_of(common, start, members, lane_stride, run_stride, run_count, more));
        }
        todo &= ~members;
    }
}

// The same, for the block, until its next barrier. Only shared memory is compared then: what was done to global memory is
// compared with the rest of the grid, and the time tells what is of the same time in a block.
extern "C" __device__ __noinline__ void ws_curd_note_in_block(u64 all_sets, u32 block, u64 start, s32 run_stride, u32 run_count,
                                                              u32 size, u32 site, u32 flags, u64 self) {
    OfBlock sink = {(Sets *)all_sets, block, passed(self), flags & WRITES ? 0u : 1u};
    Common common = {site, global_warp(self), flags, size, 0, 0};
    u32 active = __activemask(), lane = own_lane(), todo = active;
    if (flags & WRITES) shared_write(phase_of(block, sink.barriers) + WROTE, 1);
    while (todo) {
        s32 lane_stride;
        u32 members = WHOLE_WARP, leader = first_lane(todo);
        if (!is_one_strip(todo, start, run_stride, run_count, lane_stride))
            members = strip_of_lanes(active, todo, start, run_stride, run_count, lane_stride);
        if (__popc(todo) > 4 && __popc(members) * 4 <= __popc(todo)) {
            // Scattered lanes have an entry each.
            u32 index = lane == leader ? sink.take(__popc(todo)) : 0;
            index = __shfl_sync(active, index, leader);
            if (todo >> lane & 1) {
                index += __popc(todo & ((1u << lane) - 1));
                u64 place = sink.place(false, index);
                if (place) put(place, entry_of(common, start, 1u << lane, 0, run_stride, run_count, 0));
                // These may be anywhere.
                u32 at = bounds_of(block, sink.barriers, sink.list, index);
                if (index < MOST_BOUNDS) {
                    shared_write(at, 0);
                    shared_write(at + 4, ~0u);
                }
            }
            return;
        }
        if (lane == leader) {
            u32 index = sink.take(1);
            u64 place = sink.place(false, index);
            Entry entry = entry_of(common, start, members, lane_stride, run_stride, run_count, 0);
            if (place) put(place, entry);
            if (index < MOST_BOUNDS) {
                Strip strip = strip_of(entry, 0);
                u64 low, high;
                bounds(strip, low, high);
                u32 at = bounds_of(block, sink.barriers, sink.list, index);
                shared_write(at, (u32)low | (has_lanes_apart(strip) ? LANES_ARE_APART : 0));
                shared_write(at + 4, (u32)high);
            }
        }
        todo &= ~members;
    }
}

// Writes an access to global memory down for the grid. A whole warp that is one strip has its place; nothing is called then.
static __device__ __forceinline__ void note(u64 start, s32 run_stride, u32 run_count, u32 direct, u32 time) {
    Sets *sets = (Sets *)context_sets();
    u32 warp = global_warp(in_self());
    s32 lane_stride;
    if (direct != NO_PLACE && is_one_strip(__activemask(), start, run_stride, run_count, lane_stride)) {
        if (own_lane() == 0) {
            Common common = {in_site(), warp, in_flags() & WRITES, in_size(), tag_of(context_launch()), time};
            OfGrid sink = {sets, warp, direct};
            u64 place = sink.place(true, 0);
            if (place) put(place, entry_of(common, start, WHOLE_WARP, lane_stride, run_stride, run_count, 0));
        }
        return;
    }
    ws_curd_note((u64)sets, start, run_stride, run_count, in_size(), in_site(), in_flags() & WRITES, warp, time, context_launch());
}

static __device__ __forceinline__ void note_in_block(u64 start, s32 run_stride, u32 run_count) {
    ws_curd_note_in_block(context_sets(), in_block(), start, run_stride, run_count, in_size(), in_site(), in_flags() & WRITES, in_self());
}

static __device__ __forceinline__ u32 direct_place() {
    return in_place() == NO_PLACE ? NO_PLACE : global_warp(in_self()) * in_quota() + in_place();
}

static __device__ __forceinline__ u32 time_now() { return passed(in_self()) & (NO_TIME >> 1); }

// The block writes to global memory, or to shared memory, before its next barrier.
static __device__ __forceinline__ void has_written() {
    if (in_flags() & HAS_BLOCK) shared_write(phase_of(in_block(), passed(in_self())) + WROTE + (in_flags() & IN_SHARED ? 0 : 4), 1);
}

static __device__ __forceinline__ u32 length_of(const Sets *sets, u32 phase, u32 list) {
    u32 length = shared_read(phase + LENGTHS + list * 4);
    return length < sets->slot_entries ? length : sets->slot_entries;
}

// Compares the lists of a block, as one of its threads: it takes pairs until there are no more.
extern "C" __device__ __noinline__ void ws_curd_compare(u64 all_sets, u32 block, u32 barriers, u64 reports, u32 launch, u32 options) {
    const Sets *sets = (const Sets *)all_sets;
    u32 phase = phase_of(block, barriers);
    u64 slot = shared_read_64(block + SLOT);
    if (slot == 0) return;
    // Each pair of writes once, and each write with itself: of the triangle, the first row goes with the last one, and so on.
    u32 writes = length_of(sets, phase, 0), among_writes = (writes + 1) / 2 * (writes + 1);
    u32 all = among_writes + writes * length_of(sets, phase, 1);
    u64 written = list_of(sets, slot, barriers, 0), read = list_of(sets, slot, barriers, 1);
    for (;;) {
        u32 active = __activemask(), lane = own_lane(), leader = first_lane(active);
        u32 index = lane == leader ? shared_add(phase + NEXT, __popc(active)) : 0;
        index = __shfl_sync(active, index, leader) + __popc(active & ((1u << lane) - 1));
        if (index >= all) return;
        bool is_read = index >= among_writes;
        u32 one, other;
        if (is_read) {
            index -= among_writes;
            one = index / writes;
            other = index - one * writes;
        } else {
            one = index / (writes + 1);
            other = index - one * (writes + 1);
            if (other > one) {
                if (one == writes - 1 - one) continue;
                other -= one + 1;
                one = writes - 1 - one;
            }
        }
        if (one < MOST_BOUNDS && other < MOST_BOUNDS) {
            u32 its = bounds_of(block, barriers, is_read ? 1 : 0, one), low = shared_read(its);
            if (!is_read && one == other) {
                if (low & LANES_ARE_APART) continue;
            } else {
                u32 others = bounds_of(block, barriers, 0, other);
                if ((low & ~LANES_ARE_APART) >= shared_read(others + 4) || (shared_read(others) & ~LANES_ARE_APART) >= shared_read(its + 4))
                    continue;
            }
        }
        u64 place = (is_read ? read : written) + (u64)one * ENTRY_BYTES;
        Strip first = strip_of(get(place), 0), second = strip_of(get(written + (u64)other * ENTRY_BYTES), 0);
        Meeting meeting;
        if (strips_meet(first, second, meeting))
            tell(reports, launch, options, first, second, meeting, (first.warp == second.warp ? IN_A_WARP : IN_A_BLOCK) | IN_SHARED_MEMORY);
    }
}
