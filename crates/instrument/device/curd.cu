// CURD's sets as templates: `curd.h` has the rules.
#include "curd.h"

// An access that is written down at once.
extern "C" __device__ void ws_curd_direct() {
    u64 address = in_address();
    if (in_flags() & IN_SHARED) return note_in_block(__activemask(), true, address, in_run_stride(), in_run_count());
    if (in_flags() & WRITES) has_written();
    note_at_once(address);
}

// All that lanes kept of an instruction, which have come here together: for the block, or for the grid, where what is of this
// time is told from what was before it.
static __device__ __forceinline__ void note_kept(u32 all, u32 place, u64 last, s32 stride, u32 count, u32 mark) {
    u64 start = last - (s64)stride * (s64)(count - 1);
    if (in_flags() & IN_SHARED) return note_in_block(all, count != 0, start, stride, count);
    if (!(in_flags() & HAS_BLOCK)) return note(all, count != 0, place, start, stride, count, 0);
    u32 now = count - mark;
    bool has_before = __any_sync(all, mark != 0);
    if (has_before) note(all, mark != 0, place, start, stride, mark, NO_TIME);
    note(all, now != 0, has_before ? NO_PLACE : place, last - (s64)stride * (s64)(now - 1), stride, now, time_now());
    if (now && in_flags() & WRITES) has_written();
}

static __device__ __forceinline__ void note_fixed(u32 all, u32 place) {
    bool is_one = in_count() != 0;
    if (in_flags() & IN_SHARED) return note_in_block(all, is_one, in_last(), in_run_stride(), in_run_count());
    if (!(in_flags() & HAS_BLOCK)) return note(all, is_one, place, in_last(), in_run_stride(), in_run_count(), 0);
    bool is_before = is_one && in_mark() != 0, has_before = __any_sync(all, is_before);
    if (has_before) note(all, is_before, place, in_last(), in_run_stride(), in_run_count(), NO_TIME);
    bool is_now = is_one && !is_before;
    note(all, is_now, has_before ? NO_PLACE : place, in_last(), in_run_stride(), in_run_count(), time_now());
    if (is_now && in_flags() & WRITES) has_written();
}

static __device__ __forceinline__ bool is_of_all(s64 apart) {
    u32 active = __activemask();
    s64 of_first = __shfl_sync(active, apart, first_lane(active));
    return __all_sync(active, apart == of_first) && of_first == (s32)of_first;
}

// An access of a loop: most of them are as far from the last one as that was from the one before. An entry has so many at most.
extern "C" __device__ void ws_curd_run() {
    u64 address = in_address(), last = in_last();
    u32 count = in_count();
    s32 stride = in_stride();
    s64 apart = (s64)(address - last);
    if (apart == stride && count - 1 < MOST_RUNS - 1) {
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
    note_kept(lanes_here(), NO_PLACE, last, stride, count, in_mark());
    out_last(address);
    out_stride(0);
    out_count(1);
    out_mark(0);
}

// An access that matters to the block alone, or of several places at fixed distances: where it was last.
extern "C" __device__ void ws_curd_fixed() {
    u64 address = in_address();
    if (in_count() && address != in_last()) note_fixed(lanes_here(), NO_PLACE);
    out_last(address);
    out_count(1);
    out_mark(0);
}

// Before a barrier, for what writes: the block has to know.
extern "C" __device__ void ws_curd_wrote() {
    if (in_count() != in_mark()) has_written();
}

// Before a barrier: what a thread did in shared memory since the last one, instruction by instruction.
extern "C" __device__ void ws_curd_number() { out_number(Signature::number_of(own_number())); }

extern "C" __device__ void ws_curd_sign() {
    if (in_count() == 0) return;
    Signature signature = {in_first_sum(), in_second_sum()};
    signature.add((u32)in_last(), in_stride(), in_stride() ? in_count() : 1, in_site(), in_number());
    out_first_sum(signature.first);
    out_second_sum(signature.second);
}

extern "C" __device__ void ws_curd_signed() {
    Signature signature = {in_first_sum(), in_second_sum()};
    u32 active = __activemask();
    bool is_one = (signature.first | signature.second) != 0;
    if (!__any_sync(active, is_one)) return;
    if (active == WHOLE_WARP) {
        for (u32 distance = 16; distance; distance /= 2) {
            signature.first += __shfl_xor_sync(WHOLE_WARP, signature.first, distance);
            signature.second += __shfl_xor_sync(WHOLE_WARP, signature.second, distance);
        }
        is_one = own_lane() == 0;
    }
    if (is_one) signature.add_to(phase_of(in_block(), passed(in_self())));
}

// Behind a barrier of the whole block: whether somebody wrote before it, and the lists of the next time but one begin anew.
extern "C" __device__ void ws_curd_barrier() {
    u64 self = in_self();
    u32 block = in_block(), barriers = passed(self), phase = phase_of(block, barriers), later = phase_of(block, barriers + 2);
    u32 checks = shared_read(phase + WROTE) | shared_read(phase + WROTE + 4) << 1;
    if (checks & 1 && is_known((Sets *)context_sets(), phase, context_options())) checks &= 2;
    out_checks(checks);
    asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(later), "r"(0) : "memory");
    asm volatile("st.volatile.shared.v4.b32 [%0+16], {%1, %1, %1, %1};" ::"r"(later), "r"(0) : "memory");
}

// What was kept, where the block wrote to that memory before the barrier, or where a thread leaves. Lanes may leave one after the other.
// Those that leave with the last one have the places: nobody leaves twice.
static __device__ __forceinline__ u32 place_of(u32 all) { return all >> 31 ? in_place() : NO_PLACE; }
extern "C" __device__ void ws_curd_run_end() {
    u32 all = lanes_here();
    note_kept(all, place_of(all), in_last(), in_stride(), in_count(), in_mark());
}
extern "C" __device__ void ws_curd_fixed_end() {
    u32 all = lanes_here();
    note_fixed(all, place_of(all));
}

// The threads of a block have met again where somebody wrote: once more, so that all lists are complete, and then they compare.
extern "C" __device__ void ws_curd_check() {
    __threadfence_block();
    asm volatile("barrier.sync 0;" ::: "memory");
    ws_curd_compare(context_sets(), in_block(), passed(in_self()), context_reports(), context_launch(), context_options());
}

// A barrier is behind the thread.
extern "C" __device__ void ws_curd_passed() { out_self(in_self() + 1); }

// A block begins, with nothing.
extern "C" __device__ void ws_curd_begin() {
    u64 self = in_self();
    if (global_warp(self) == in_first_warp()) {
        u32 lanes = in_threads() < 32 ? in_threads() : 32;
        for (u32 word = (u32)(self >> 26) & 31; word < BOUNDS / 4; word += lanes) shared_write(in_block() + word * 4, 0);
    }
    asm volatile("barrier.sync 0;" ::: "memory");
}

// Threads leave a block. Who leaves last compares what was done since the last barrier, and gives the slot back.
extern "C" __device__ __noinline__ void ws_curd_go(u64 all_sets, u32 block, u32 threads, u64 self, u64 reports, u32 launch, u32 options) {
    __threadfence_block();
    // Of each lane to ptxas: see `of_each_lane`.
    u32 active = __activemask() | (u32)(self >> 63), lane = own_lane(), leader = first_lane(active), before = 0;
    __syncwarp(active);
    if (lane == leader) before = shared_add(block + LEFT, __popc(active));
    before = __shfl_sync(active, before, leader);
    if (before + __popc(active) != threads) return;
    __threadfence_block();
    // Lanes may leave elsewhere at the same time.
    u32 barriers = passed(__shfl_sync(active, self, leader));
    if (shared_read(phase_of(block, barriers) + WROTE)) ws_curd_compare(all_sets, block, barriers, reports, launch, options);
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
