// CURD's sets as templates: `curd.h` has the rules.
#include "curd.h"

// An access that is written down at once.
extern "C" __device__ void ws_curd_direct() {
    u64 address = in_address();
    if (in_flags() & IN_SHARED) return note_in_block(address, in_run_stride(), in_run_count());
    if (in_flags() & WRITES) has_written();
    note(address, in_run_stride(), in_run_count(), direct_place(), time_now());
}

// So many regions that end with the last one. An entry has so many at most.
static __device__ __forceinline__ void note_regions(u64 last, s32 stride, u32 count, u32 direct, u32 time) {
    u64 start = last - (s64)stride * (s64)(count - 1);
    for (; count > MOST_RUNS; count -= MOST_RUNS, start += (s64)stride * MOST_RUNS) note(start, stride, MOST_RUNS, NO_PLACE, time);
    note(start, stride, count, direct, time);
}

// All that was kept of an instruction: for the block, or for the grid, where what is of this time is told from what was before it.
static __device__ __forceinline__ void note_kept(u64 last, s32 stride, u32 count, u32 mark, u32 direct) {
    if (count == 0) return;
    if (in_flags() & IN_SHARED) return note_in_block(last - (s64)stride * (s64)(count - 1), stride, count);
    if (!(in_flags() & HAS_BLOCK)) return note_regions(last, stride, count, direct, 0);
    u32 now = count - mark;
    if (mark) note_regions(last - (s64)stride * (s64)now, stride, mark, direct, NO_TIME);
    if (now) note_regions(last, stride, now, mark ? NO_PLACE : direct, time_now());
    if (now && in_flags() & WRITES) has_written();
}

static __device__ __forceinline__ void note_fixed(u32 direct) {
    u32 count = in_count();
    if (count == 0) return;
    if (in_flags() & IN_SHARED) return note_in_block(in_last(), in_run_stride(), in_run_count());
    bool is_now = !(in_flags() & HAS_BLOCK) || in_mark() == 0;
    if (is_now && in_flags() & WRITES) has_written();
    note(in_last(), in_run_stride(), in_run_count(), direct, is_now ? time_now() : NO_TIME);
}

static __device__ __forceinline__ bool is_of_all(s64 apart) {
    u32 active = __activemask();
    s64 of_first = __shfl_sync(active, apart, first_lane(active));
    return __all_sync(active, apart == of_first) && of_first == (s32)of_first;
}

// An access of a loop: most of them are as far from the last one as that was from the one before.
extern "C" __device__ void ws_curd_run() {
    u64 address = in_address(), last = in_last();
    u32 count = in_count();
    s32 stride = in_stride();
    s64 apart = (s64)(address - last);
    if (count && apart == stride) {
        out_count(count + 1);
        out_last(address);
        return;
    }
    if (count && apart == 0) {
        // Once before the last barrier is not once since then.
        if (in_flags() & HAS_BLOCK && count == in_mark()) out_mark(count - 1);
        return;
    }
    // The second access says how far the next ones will be apart, if it does so to all lanes: others are scattered.
    if (count == 1 && is_of_all(apart)) {
        out_stride((u32)apart);
        out_count(2);
        out_last(address);
        return;
    }
    note_kept(last, stride, count, in_mark(), NO_PLACE);
    out_last(address);
    out_stride(0);
    out_count(1);
    out_mark(0);
}

// An access that matters to the block alone, or of several places at fixed distances: where it was last.
extern "C" __device__ void ws_curd_fixed() {
    u64 address = in_address();
    if (in_count() == 0 || address != in_last()) note_fixed(NO_PLACE);
    out_last(address);
    out_count(1);
    out_mark(0);
}

// Before a barrier, for what writes: the block has to know.
extern "C" __device__ void ws_curd_wrote() {
    if (in_count() != in_mark()) has_written();
}

// Behind a barrier of the whole block: whether somebody wrote before it, and the lists of the next time but one begin anew.
extern "C" __device__ void ws_curd_barrier() {
    u64 self = in_self();
    u32 block = in_block(), barriers = passed(self), phase = phase_of(block, barriers), later = phase_of(block, barriers + 2);
    out_checks(shared_read(phase + WROTE) | shared_read(phase + WROTE + 4) << 1);
    asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(later), "r"(0) : "memory");
    asm volatile("st.volatile.shared.v4.b32 [%0+16], {%1, %1, %1, %1};" ::"r"(later), "r"(0) : "memory");
}

// What was kept, where the block wrote to that memory before the barrier, or where a thread leaves.
extern "C" __device__ void ws_curd_run_end() { note_kept(in_last(), in_stride(), in_count(), in_mark(), direct_place()); }
extern "C" __device__ void ws_curd_fixed_end() { note_fixed(direct_place()); }

// The threads of a block have met again where somebody wrote: once more, so that all lists are complete, and then they compare.
extern "C" __device__ void ws_curd_check() {
    __threadfence_block();
    asm volatile("barrier.sync 0;" ::: "memory");
    ws_curd_compare(context_sets(), in_block(), passed(in_self()), context_reports(), context_launch(), context_options());
}

// A barrier is behind the thread.
extern "C" __device__ void ws_curd_passed() { out_self(in_self() + 1); }

// A block begins: it gets a slot for its lists.
extern "C" __device__ __noinline__ void ws_curd_take_slot(u64 all_sets, u32 block, u32 number) {
    Sets *sets = (Sets *)all_sets;
    u64 slot = 0;
    u32 *owners = (u32 *)sets->owners, index = number % sets->slot_count;
    for (u32 tried = 0; tried < sets->slot_count; tried++) {
        if (atomicCAS(&owners[index], 0u, 1u) == 0) {
            slot = sets->slots + (u64)index * 2 * LISTS * sets->slot_entries * ENTRY_BYTES;
            break;
        }
        if (++index == sets->slot_count) index = 0;
    }
    if (slot == 0) gap(sets, NO_SLOT);
    for (u32 word = 0; word < PHASES + 3 * PHASE_BYTES; word += 4) shared_write(block + word, 0);
    shared_write(block + SLOT, (u32)slot);
    shared_write(block + SLOT + 4, (u32)(slot >> 32));
}

extern "C" __device__ void ws_curd_begin() {
    u64 self = in_self();
    u32 warp = global_warp(self), first = in_first_warp();
    if (warp == first && ((u32)(self >> 26) & 31) == 0)
        ws_curd_take_slot(context_sets(), in_block(), first / in_warps_per_block());
    asm volatile("barrier.sync 0;" ::: "memory");
}

// Threads leave a block. Who leaves last compares what was done since the last barrier, and gives the slot back.
extern "C" __device__ __noinline__ void ws_curd_go(u64 all_sets, u32 block, u32 threads, u64 self, u64 reports, u32 launch, u32 options) {
    __threadfence_block();
    u32 active = __activemask(), lane = own_lane(), leader = first_lane(active), before = 0;
    __syncwarp(active);
    if (lane == leader) before = shared_add(block + LEFT, __popc(active));
    before = __shfl_sync(active, before, leader);
    if (before + __popc(active) != threads) return;
    __threadfence_block();
    u32 phase = phase_of(block, passed(self));
    if (shared_read(phase + WROTE))
        ws_curd_compare(all_sets, block, passed(self), reports, launch, options);
    __syncwarp(active);
    if (lane != leader) return;
    const Sets *sets = (const Sets *)all_sets;
    u64 slot = shared_read_64(block + SLOT);
    if (slot == 0) return;
    __threadfence();
    u32 index = (u32)((slot - sets->slots) / ((u64)2 * LISTS * sets->slot_entries * ENTRY_BYTES));
    atomicExch((u32 *)sets->owners + index, 0u);
}

extern "C" __device__ void ws_curd_leave() {
    ws_curd_go(context_sets(), in_block(), in_threads(), in_self(), context_reports(), context_launch(), context_options());
}
