// CURD's sets on the device (Peng's thesis, chapter 6): what is written down of accesses, and where.
//
// As in the host's module (`detect::curd`), lanes insert together: an entry is a strip, one region for each lane of a warp at equal
// distances, and that again and again at another distance where the lanes came back in a loop. It is what the thesis makes of
// neighbouring regions when it compresses sets, made at once: 32 bytes for an access of a warp, and no copy of it later.
#pragma once
#include "report.h"
#include "sets_layout.h"

typedef int s32;
typedef long long s64;

struct Entry {
    u64 start; // of the first lane; the instruction's number is in the upper 16 bits
    u32 mask;
    s32 lane_stride; // or, of scattered lanes, the row with their distances from the start
    s32 run_stride;
    u32 run_count; // and the lower half of the time above it
    u32 who; // the warp, counted in the grid, and flags above it
    u32 shape; // bytes of a region, the upper half of the time, and the launch's tag in the highest byte
};

constexpr u32 SITE_SHIFT = 48, FLAG_SHIFT = 24, RUN_BITS = 20, SIZE_BITS = 12, TIME_BITS = 12;
constexpr u32 TAG = 0xFFu << 24;
constexpr u32 MOST_RUNS = (1u << RUN_BITS) - 1;
constexpr u64 ADDRESS = (1ull << SITE_SHIFT) - 1;
constexpr u32 WARPS = (1u << FLAG_SHIFT) - 1;
// A flag of an entry; those of accesses are in `sets_layout.h`: it writes, it is of shared memory, its block is compared while it
// runs, and the block's signature has it already.
constexpr u32 SCATTERED = 2;
static_assert(sizeof(Entry) == ENTRY_BYTES, "as the host counts");

// The time of an access is the number of barriers that its thread had passed: threads of a block race only at the same time. What
// is of several times, in none of which its block wrote to global memory, is of none.
constexpr u32 NO_TIME = (1u << 2 * TIME_BITS) - 1;

static __device__ __forceinline__ u32 time_of(const Entry &entry) {
    return entry.run_count >> RUN_BITS | (entry.shape >> SIZE_BITS & ((1u << TIME_BITS) - 1)) << TIME_BITS;
}

static __device__ __forceinline__ u32 own_lane() {
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

static __device__ __forceinline__ void gap(Sets *sets, u32 what) {
    if ((*(volatile u32 *)&sets->gaps & what) == 0) atomicOr(&sets->gaps, what);
}

static __device__ __forceinline__ void put(u64 place, const Entry &entry) {
    u64 second = (u64)(u32)entry.lane_stride << 32 | entry.mask;
    u64 third = (u64)entry.run_count << 32 | (u32)entry.run_stride;
    u64 fourth = (u64)entry.shape << 32 | entry.who;
    asm volatile("st.global.v2.b64 [%0], {%1, %2};" ::"l"(place), "l"(entry.start), "l"(second) : "memory");
    asm volatile("st.global.v2.b64 [%0+16], {%1, %2};" ::"l"(place), "l"(third), "l"(fourth) : "memory");
}

static __device__ __forceinline__ Entry get(u64 place) {
    u64 second, third, fourth;
    Entry entry;
    asm volatile("ld.global.v2.b64 {%0, %1}, [%2];" : "=l"(entry.start), "=l"(second) : "l"(place) : "memory");
    asm volatile("ld.global.v2.b64 {%0, %1}, [%2+16];" : "=l"(third), "=l"(fourth) : "l"(place) : "memory");
    entry.mask = (u32)second;
    entry.lane_stride = (s32)(second >> 32);
    entry.run_stride = (s32)third;
    entry.run_count = (u32)(third >> 32);
    entry.who = (u32)fourth;
    entry.shape = (u32)(fourth >> 32);
    return entry;
}

#ifdef WS_EAGER
// `curd_eager.h`.
extern "C" __device__ void ws_curd_meet(u64 all_sets, u32 number);
#endif

// The sets of the grid: blocks are compared by them when the kernel has ended. Called by one lane.
struct OfGrid {
    Sets *sets;
    u32 warp;

    __device__ __forceinline__ u32 partition() const { return warp % PARTITIONS; }

    __device__ __forceinline__ void add(u32 index, const Entry &entry) const {
        if (index >= sets->partition_entries) return gap(sets, NO_ROOM_FOR_BLOCKS);
        u32 number = sets->direct_entries + partition() * sets->partition_entries + index;
        put(sets->entries + (u64)number * ENTRY_BYTES, entry);
#ifdef WS_EAGER
        ws_curd_meet((u64)sets, number);
#endif
    }

    // An entry is at a place that seldom has one.
    __device__ __forceinline__ void use(u32 place) const {
        u32 *word = &sets->used_places[place / 32], bit = 1u << place % 32;
        if (!(*(volatile u32 *)word & bit)) atomicOr(word, bit);
    }

    __device__ __forceinline__ u32 take() const { return atomicAdd(&sets->counters[partition()].entries, 1u); }

    // An entry, and a row for scattered lanes, or none.
    __device__ __forceinline__ u32 take_with_row(u32 &row) const {
        u64 before = atomicAdd((u64 *)&sets->counters[partition()], 1ull << 32 | 1);
        row = (u32)(before >> 32);
        row = row < sets->partition_rows ? partition() * sets->partition_rows + row : ~0u;
        return (u32)before;
    }
};

// What threads of a block have done in shared memory since the last barrier: two lists, writes and reads. Their
// lengths, and what else the block has to know, are in its shared memory, three times: of this time between two
// barriers, of the one before, which may still be looked at, and of the next one, which is empty.
constexpr u32 LEFT = 0, SLOT_STATE = 4, SLOT = 8, PHASES = 16, PHASE_BYTES = 32, WROTE = 0, NEXT = 8, LENGTHS = 12, SIGNATURE = 20,
                 DECIDED = 28;
constexpr u32 LISTS = 2;
// Behind that are the bounds of the first entries of each list, of this time and of the one before: two words each. Most entries are told
// apart by these alone. A bit says that the lanes of an entry have nothing in common.
constexpr u32 BOUNDS = PHASES + 3 * PHASE_BYTES, MOST_BOUNDS = 64, LANES_ARE_APART = 1u << 31;
static_assert(BOUNDS + 2 * LISTS * MOST_BOUNDS * 8 == BLOCK_BYTES, "as the host declares it");

static __device__ __forceinline__ u32 bounds_of(u32 block, u32 barriers, u32 list, u32 index) {
    return block + BOUNDS + (((barriers & 1) * LISTS + list) * MOST_BOUNDS + index) * 8;
}

static __device__ __forceinline__ u32 shared_read(u32 address) {
    u32 value;
    asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}

static __device__ __forceinline__ u64 shared_read_64(u32 address) {
    u64 value;
    asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(value) : "r"(address) : "memory");
    return value;
}

static __device__ __forceinline__ void shared_write(u32 address, u32 value) {
    asm volatile("st.volatile.shared.b32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

static __device__ __forceinline__ u32 shared_add(u32 address, u32 value) {
    u32 before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(address), "r"(value) : "memory");
    return before;
}

static __device__ __forceinline__ u32 shared_swap(u32 address, u32 expected, u32 wanted) {
    u32 before;
    asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(before) : "r"(address), "r"(expected), "r"(wanted) : "memory");
    return before;
}

// How many barriers a thread has passed is in the lowest bits of what it knows of itself.
static __device__ __forceinline__ u32 passed(u64 self) { return (u32)self & 0x3FFFFFF; }
static __device__ __forceinline__ u32 phase_of(u32 block, u32 barriers) { return block + PHASES + barriers % 3 * PHASE_BYTES; }
static __device__ __forceinline__ u32 global_warp(u64 self) { return (u32)(self >> 31) & WARPS; }

// The list of a slot, for the accesses between two barriers; those of the time before may still be looked at.
static __device__ __forceinline__ u64 list_of(const Sets *sets, u64 slot, u32 barriers, u32 list) {
    return slot + (u64)((barriers & 1) * LISTS + list) * sets->slot_entries * ENTRY_BYTES;
}

// The slot of a block's lists, which it gets with the first entry: most blocks do what others did, and have none. Called by one lane.
constexpr u32 SLOT_IS_TAKEN = 1, SLOT_IS_THERE = 2;

static __device__ __forceinline__ u64 slot_of(Sets *sets, u32 block, u32 warp) {
    if (shared_swap(block + SLOT_STATE, 0, SLOT_IS_TAKEN) == 0) {
        u64 slot = 0;
        u32 *owners = (u32 *)sets->owners, index = warp % sets->slot_count;
        for (u32 tried = 0; tried < sets->slot_count; tried++) {
            if (atomicCAS(&owners[index], 0u, 1u) == 0) {
                slot = sets->slots + (u64)index * 2 * LISTS * sets->slot_entries * ENTRY_BYTES;
                break;
            }
            if (++index == sets->slot_count) index = 0;
        }
        if (slot == 0) gap(sets, NO_SLOT);
        shared_write(block + SLOT, (u32)slot);
        shared_write(block + SLOT + 4, (u32)(slot >> 32));
        __threadfence_block();
        shared_write(block + SLOT_STATE, SLOT_IS_THERE);
    }
    while (shared_read(block + SLOT_STATE) != SLOT_IS_THERE) {}
    return shared_read_64(block + SLOT);
}

struct OfBlock {
    Sets *sets;
    u32 block, barriers, list, warp;

    __device__ __forceinline__ u64 place(u32 index) const {
        u64 slot = slot_of(sets, block, warp);
        if (slot == 0) return 0;
        if (index >= sets->slot_entries) {
            gap(sets, NO_ROOM_FOR_THREADS);
            return 0;
        }
        return list_of(sets, slot, barriers, list) + (u64)index * ENTRY_BYTES;
    }

    __device__ __forceinline__ u32 take(u32 entries) const {
        return shared_add(phase_of(block, barriers) + LENGTHS + list * 4, entries);
    }
};
