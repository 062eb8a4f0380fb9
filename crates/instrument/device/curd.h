// CURD's sets while a kernel runs: accesses go to lists, and the threads of a block are compared at its barriers.
//
// Where lanes come to an instruction again and again (`run`), or an access matters only to the block (`fixed`), a thread keeps the
// last region in registers: most accesses then cost a comparison and an addition, and nothing is written. Lists of a
// block are complete, and looked at, only where somebody wrote since the last barrier.
#pragma once
#ifdef WS_EAGER
#include "curd_eager.h"
#else
#include "curd_strips.h"
#endif

// What the instrumenter knows of an access: `sets/expanding.rs` has the same names.
WS_INPUT_32(size)
WS_INPUT_32(run_stride)
WS_INPUT_32(run_count)
WS_INPUT_32(flags)
// The place of its entries among those of the kernel: each has an entry for every warp.
WS_INPUT_32(place)
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
// What a thread did in shared memory since the last barrier, as two sums.
WS_INPUT_32(first_sum)
WS_INPUT_32(second_sum)
WS_OUTPUT_32(first_sum)
WS_OUTPUT_32(second_sum)
WS_INPUT_32(number)
WS_OUTPUT_32(number)

constexpr u32 WHOLE_WARP = ~0u;
// What the threads of a block have decided about what they did since the last barrier.
constexpr u32 IS_KNOWN = 1, NOT_KNOWN = 2;

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
    entry.shape = common.size | (common.time >> TIME_BITS & half) << SIZE_BITS | common.tag;
    return entry;
}

// Which lanes lie at equal distances from the first of them, as most do. `second` is the next one, if there is one.
static __device__ __forceinline__ u32 first_strip(u32 active, u32 leader, u32 second, u64 start, u64 &base, s32 &lane_stride) {
    base = __shfl_sync(active, start, leader);
    lane_stride = (s32)(__shfl_sync(active, (u32)start, second) - (u32)base);
    return __ballot_sync(active, start == base + (s64)lane_stride * (s32)(own_lane() - leader));
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

// Writes down what lanes accessed, for the grid. A function is told who they are: lanes that call it elsewhere may go through
// it at the same time, as if they were with them. With places of its own an access has one for an entry of its lanes, and one for
// those of them that came round a loop once more than the others.
extern "C" __device__ __noinline__ void ws_curd_note(u64 all_sets, u32 active, u32 place, u64 start, s32 run_stride, u32 run_count,
                                                     u32 size, u32 site, u32 flags, u32 warp, u32 warps, u32 time, u32 tag) {
    OfGrid sink = {(Sets *)all_sets, warp};
    if (run_stride == 0) run_count = 1;
    Common common = {site, warp, flags, size, tag, time};
    u32 lane = own_lane(), leader = first_lane(active), rest = active & (active - 1);
    u32 second = rest ? first_lane(rest) : leader;
    s32 its_stride = __shfl_sync(active, run_stride, leader), lane_stride;
    u32 its_count = __shfl_sync(active, run_count, leader);
    u64 base;
    u32 strip = first_strip(active, leader, second, start, base, lane_stride);
    bool has_place = place != NO_PLACE && ((u64)place + 1) * warps + warp < sink.sets->direct_entries;
    u64 own = sink.sets->entries + ((u64)place * warps + warp) * ENTRY_BYTES;
    bool has_one_run = __all_sync(active, run_stride == its_stride && run_count == its_count);
    if (strip == active && has_one_run) {
        if (lane != leader) return;
        Entry entry = entry_of(common, start, active, lane_stride, run_stride, run_count, 0);
        if (has_place) put(own, entry);
        else sink.add(sink.take(), entry);
        return;
    }
    s64 apart = (s64)(start - base);
    if (has_one_run && __popc(active) > 4 && __popc(strip) * 4 <= __popc(active) && __all_sync(active, apart == (s32)apart)) {
        // Scattered lanes share an entry, with a row of their distances.
        u32 index = 0, row = 0;
        if (lane == leader) index = sink.take_with_row(row);
        row = __shfl_sync(active, row, leader);
        if (row != ~0u) {
            ((s32 *)sink.sets->rows)[(u64)row * 32 + lane] = (s32)apart;
            __syncwarp(active);
            if (lane != leader) return;
            sink.add(index, entry_of(common, start, active, (s32)row, run_stride, run_count, SCATTERED));
            return;
        }
        // An entry that was taken has to be something.
        if (lane == leader) sink.add(index, entry_of(common, start, 1u << lane, 0, run_stride, run_count, 0));
    }
    // Whoever came once has no distance yet.
    bool is_near = run_count == its_count ? run_stride == its_stride
                                          : run_count + 1 == its_count && (run_stride == its_stride || run_count == 1);
    if (strip == active && has_place && __all_sync(active, is_near)) {
        u32 longer = __ballot_sync(active, run_count == its_count);
        if (lane != leader) return;
        sink.use(place + 1);
        put(own, entry_of(common, start, active, lane_stride, run_stride, run_count - 1, 0));
        put(own + (u64)warps * ENTRY_BYTES,
            entry_of(common, start + (s64)run_stride * (s64)(run_count - 1), longer, lane_stride, 0, 1, 0));
        return;
    }
    for (u32 todo = active; todo;) {
        u32 members = strip_of_lanes(active, todo, start, run_stride, run_count, lane_stride), more = 0, index = 0;
        leader = first_lane(todo);
        if (__popc(todo) > 4 && __popc(members) * 4 <= __popc(todo)) {
            base = __shfl_sync(active, start, leader);
            its_stride = __shfl_sync(active, run_stride, leader);
            its_count = __shfl_sync(active, run_count, leader);
            apart = (s64)(start - base);
            bool is_with_it = (todo >> lane & 1) && apart == (s32)apart && its_stride == run_stride && its_count == run_count;
            u32 near = __ballot_sync(active, is_with_it), row = 0;
            if (lane == leader) index = sink.take_with_row(row);
            row = __shfl_sync(active, row, leader);
            if (row != ~0u) {
                members = near;
                more = SCATTERED;
                lane_stride = (s32)row;
                if (is_with_it) ((s32 *)sink.sets->rows)[(u64)row * 32 + lane] = (s32)apart;
                __syncwarp(active);
            }
        } else if (lane == leader) index = sink.take();
        if (lane == leader) sink.add(index, entry_of(common, start, members, lane_stride, run_stride, run_count, more));
        todo &= ~members;
    }
}

// What a thread did, as the sum of products of each access with a number that nobody else has for it: 64 bits in two halves.
struct Signature {
    u32 first, second;

    // A number for a thread, without a pattern.
    static __device__ __forceinline__ u32 number_of(u32 thread) {
        thread = (thread + 1) * 0x9E3779B1u;
        thread = (thread ^ thread >> 15) * 0x2C1B3C6Du;
        return thread ^ thread >> 12;
    }

    __device__ __forceinline__ void add(u32 start, u32 stride, u32 count, u32 site, u32 number) {
        // The halves are made of two different words: where one is the same for two accesses, the other is not.
        u32 site_number = (site + 1) * 0x85EBCA77u;
        u32 what = start + stride * 0x297A2D39u + count * 0x7FEB352Du + site_number;
        u32 other = start * 0xC2B2AE3Du ^ (stride * 0x27D4EB2Fu + count * 0x165667B1u);
        number = (number ^ site_number) * 0x846CA68Bu;
        number ^= number >> 15;
        u64 product = (u64)(what ^ what >> 16) * number;
        first += (u32)product ^ (u32)(product >> 32);
        second += (other ^ other >> 15) * (number * 0x68E31DA5u | 1);
    }

    __device__ __forceinline__ void add_to(u32 phase) const {
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(phase + SIGNATURE), "r"(first) : "memory");
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(phase + SIGNATURE + 4), "r"(second) : "memory");
    }
};

// The same, for the block, until its next barrier. Only shared memory is compared then: what was done to global memory is
// compared with the rest of the grid, and the time tells what is of the same time in a block.
extern "C" __device__ __noinline__ void ws_curd_note_in_block(u64 all_sets, u32 active, u32 block, u64 start, s32 run_stride,
                                                              u32 run_count, u32 size, u32 site, u32 flags, u64 self, u32 who) {
    if (run_stride == 0) run_count = 1;
    // A register of 32 bits and an offset are added in as many.
    start = (u32)start;
    OfBlock sink = {(Sets *)all_sets, block, passed(self), flags & WRITES ? 0u : 1u, global_warp(self)};
    Common common = {site, global_warp(self), flags & WRITES, size, 0, 0};
    u32 lane = own_lane(), todo = active, phase = phase_of(block, sink.barriers);
    if (flags & WRITES) shared_write(phase + WROTE, 1);
    if (!(flags & IS_SIGNED)) {
        Signature signature = {0, 0};
        signature.add((u32)start, (u32)run_stride, run_count, site, Signature::number_of(who));
        signature.add_to(phase);
    }
    while (todo) {
        s32 lane_stride;
        u32 leader = first_lane(todo), members = strip_of_lanes(active, todo, start, run_stride, run_count, lane_stride);
        if (__popc(todo) > 4 && __popc(members) * 4 <= __popc(todo)) {
            // Scattered lanes have an entry each.
            u32 index = lane == leader ? sink.take(__popc(todo)) : 0;
            index = __shfl_sync(active, index, leader);
            if (todo >> lane & 1) {
                index += __popc(todo & ((1u << lane) - 1));
                u64 place = sink.place(index);
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
            u64 place = sink.place(index);
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

static __device__ __forceinline__ u32 time_now() { return passed(in_self()) & (NO_TIME >> 1); }

// Writes an access to global memory down for the grid. A whole warp that is one strip has its place; nothing is called then.
static __device__ __forceinline__ void note_at_once(u64 start) {
    u32 active = __activemask(), warp = global_warp(in_self()), place = in_place() * context_warps() + warp;
    u64 base;
    s32 lane_stride;
    if (in_place() != NO_PLACE && active == WHOLE_WARP && place < context_direct_entries() &&
        first_strip(WHOLE_WARP, 0, 1, start, base, lane_stride) == WHOLE_WARP) {
        if (own_lane() == 0) {
            Common common = {in_site(), warp, in_flags() & WRITES, in_size(), context_set_tag(), time_now()};
            put(context_set_entries() + (u64)place * ENTRY_BYTES,
                entry_of(common, start, WHOLE_WARP, lane_stride, in_run_stride(), in_run_count(), 0));
        }
        return;
    }
    // Whoever comes with the first lane has the place: nobody comes twice.
    ws_curd_note(context_sets(), active, active & 1 ? in_place() : NO_PLACE, start, in_run_stride(), in_run_count(), in_size(), in_site(),
                 in_flags() & WRITES, warp, context_warps(), time_now(), context_set_tag());
}

// Writes down what some of the lanes kept that have come here together.
static __device__ __forceinline__ void note(u32 all, bool is_one, u32 place, u64 start, s32 run_stride, u32 run_count, u32 time) {
    u32 members = __ballot_sync(all, is_one);
    if (is_one)
        ws_curd_note(context_sets(), members, place, start, run_stride, run_count, in_size(), in_site(), in_flags() & WRITES,
                     global_warp(in_self()), context_warps(), time, context_set_tag());
}

// The thread, counted in its block.
static __device__ __forceinline__ u32 own_number() { return (u32)(in_self() >> 26) - in_first_warp() * 32; }

static __device__ __forceinline__ void note_in_block(u32 all, bool is_one, u64 start, s32 run_stride, u32 run_count) {
    u32 members = __ballot_sync(all, is_one);
    if (is_one)
        ws_curd_note_in_block(context_sets(), members, in_block(), start, run_stride, run_count, in_size(), in_site(),
                              in_flags() & (WRITES | IS_SIGNED), in_self(), own_number());
}

// The block writes to global memory, or to shared memory, before its next barrier.
static __device__ __forceinline__ void has_written() {
    if (in_flags() & HAS_BLOCK) shared_write(phase_of(in_block(), passed(in_self())) + WROTE + (in_flags() & IN_SHARED ? 0 : 4), 1);
}

// What a block did, of all that use these sets: the kernel is in the upper half of the options.
static __device__ __forceinline__ u64 key_of(u32 phase, u32 options) {
    u32 first = shared_read(phase + SIGNATURE) ^ (options >> 16) * 0x9E3779B1u;
    u64 key = (u64)first << 32 | shared_read(phase + SIGNATURE + 4);
    return key ? key : 1;
}

static __device__ __forceinline__ u64 *known_of(Sets *sets, u64 key) { return &sets->known[(u32)key % (1u << KNOWN_BITS)]; }

static __device__ __forceinline__ void know(Sets *sets, u32 phase, u32 options) {
    u64 key = key_of(phase, options);
    *(volatile u64 *)known_of(sets, key) = key;
}

// Whether somebody has compared all that already. The threads of a block have to agree, and what is known grows while they
// look: the first of them decides.
static __device__ __forceinline__ bool is_known(Sets *sets, u32 phase, u32 options) {
    u32 active = __activemask(), leader = first_lane(active), decided = 0;
    if (own_lane() == leader) {
        decided = shared_read(phase + DECIDED);
        if (decided == 0) {
            u64 key = key_of(phase, options);
            u32 wanted = *(volatile u64 *)known_of(sets, key) == key ? IS_KNOWN : NOT_KNOWN;
            decided = shared_swap(phase + DECIDED, 0, wanted);
            if (decided == 0) decided = wanted;
        }
    }
    return __shfl_sync(active, decided, leader) == IS_KNOWN;
}

static __device__ __forceinline__ u32 length_of(const Sets *sets, u32 phase, u32 list) {
    u32 length = shared_read(phase + LENGTHS + list * 4);
    return length < sets->slot_entries ? length : sets->slot_entries;
}

// Compares the lists of a block, as one of its threads: it takes pairs until there are no more. What is in them is known from then on.
extern "C" __device__ __noinline__ void ws_curd_compare(u64 all_sets, u32 block, u32 barriers, u64 reports, u32 launch, u32 options) {
    Sets *sets = (Sets *)all_sets;
    u32 phase = phase_of(block, barriers);
    u64 slot = shared_read_64(block + SLOT);
    if (slot == 0) return;
    bool is_all = shared_read(phase + LENGTHS) <= sets->slot_entries && shared_read(phase + LENGTHS + 4) <= sets->slot_entries;
    if (shared_read(phase + DECIDED) == NOT_KNOWN && is_all) know(sets, phase, options);
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
