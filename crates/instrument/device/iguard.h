// iGUARD's checks (Kamath and Basu, SOSP 2021), on the device: Table 2 with the deviations that the host module
// names (`detect::iguard`). Both must say the same of the same accesses in the same order.
//
// What most accesses need is expanded in place; the rest is one function. An entry is exchanged by one
// 128-bit compare-and-swap, which is the paper's lock for each entry without anybody who holds it.
#pragma once
#include "layout.h"
#include "report.h"

enum Type { LOAD = 0, STORE = 1, ATOMIC_ACCESS = 2 };
// Further bits of the word that says what an access is.
static const u32 SCOPE_IS_BLOCK = 4, WITH_LOCKS = 8;
// Options of a run, in the context.
static const u32 NO_COALESCING = 1, NO_SHARING = 2;

static __device__ __forceinline__ u32 warp_of(u64 accessor) { return (u32)(accessor >> WARP) & 0xFFFFFF; }
static __device__ __forceinline__ u32 lane_of(u64 accessor) { return (u32)(accessor >> LANE) & 31; }

// The index of a thread in the tables of threads.
static __device__ __forceinline__ u32 thread_of(u64 accessor) { return (u32)(accessor >> LANE) & 0x1FFFFFFF; }

// The flags of an entry once `self` has accessed it: who shares it. A location that warps of one block use in turn,
// with a barrier between, is not shared any more after the barrier.
static __device__ __forceinline__ u64 shared_flags(u64 high, u64 self, u32 first_warp, u32 warps_per_block) {
    u64 flags = high & FLAGS;
    u32 previous = warp_of(high);
    if (previous - first_warp >= warps_per_block) return flags | DEVICE_SHARED;
    if (!(flags & DEVICE_SHARED) && ((high ^ self) & BLOCK_BARRIERS)) return flags & ~BLOCK_SHARED;
    if (previous != warp_of(self)) return flags | BLOCK_SHARED;
    return flags;
}

static __device__ __forceinline__ Entry updated(Entry entry, u64 flags, u64 self, u32 access, u64 tag_high, u64 tag_low) {
    Entry wanted;
    wanted.low = (access & 3) == LOAD ? entry.low : tag_low | self;
    wanted.high = tag_high | self | flags;
    if ((access & 3) != LOAD) wanted.high = (wanted.high & ~(ATOMIC | BLOCK_SCOPE)) | MODIFIED;
    if ((access & 3) == ATOMIC_ACCESS) wanted.high |= ATOMIC | ((access & SCOPE_IS_BLOCK) ? BLOCK_SCOPE : 0);
    return wanted;
}

static __device__ __forceinline__ void wait_a_little(u32 &nanoseconds, u32 limit) {
    if (limit == 0) return;
    __nanosleep(nanoseconds);
    if (nanoseconds < limit) nanoseconds *= 2;
}

// Table 2. 0 for no race, otherwise the number of the rule.
static __device__ __forceinline__ u32 judge(Entry entry, u64 flags, u64 self, u32 access, u32 mask, u32 first_warp,
                                            u32 warps_per_block, const u16 *fences, u32 held, u32 own_held, u64 &previous) {
    u32 type = access & 3;
    previous = (type == LOAD ? entry.low : entry.high) & ACCESSOR;
    bool shared = flags & (DEVICE_SHARED | BLOCK_SHARED);
    bool same_thread = ((previous ^ self) & THREAD) == 0;
    bool same_warp = warp_of(previous) == warp_of(self);
    bool same_block = warp_of(previous) - first_warp < warps_per_block;
    if (type == LOAD && !(flags & MODIFIED)) return 0;                                                     // P2
    if (!shared && same_thread) return 0;                                                                  // P3
    if (!shared && same_warp && (((previous ^ self) & WARP_BARRIERS) || (mask >> lane_of(previous) & 1))) return 0; // P4
    if (!(flags & DEVICE_SHARED) && same_block && ((previous ^ self) & BLOCK_BARRIERS)) return 0;          // P5
    bool atomic_before = flags & ATOMIC;
    if (atomic_before && type == ATOMIC_ACCESS && (same_block || !(flags & BLOCK_SCOPE))) return 0;        // P6
    bool writer_in_block = warp_of(entry.low) - first_warp < warps_per_block;
    if (atomic_before && (flags & BLOCK_SCOPE) && !writer_in_block) return 1;                              // R1
    if (same_thread) return 0;
    u32 now = fences ? *(const volatile u16 *)(fences + thread_of(previous)) : (u32)(previous >> BLOCK_FENCE) & 0xFFF;
    u32 changed = now ^ ((u32)(previous >> BLOCK_FENCE) & 0xFFF);
    bool same_fences = changed == 0;
    if (same_warp && same_fences && !shared) return 2;                                                     // R2
    if (same_block && same_fences && !(flags & DEVICE_SHARED)) return 3;                                   // R3
    if (!same_block && (changed >> 6) == 0) return 4;                                                      // R4
    if ((held | own_held) && !(held & own_held)) return 5;                                                 // R5
    return 0;
}

// Lock tables: three entries of hash (18 bits), valid, active and scope; the last bit says that threads lock on their own.
static const u64 THREADS_LOCK = 1ull << 63;
static const u32 LOCK_BITS = 21, LOCK_VALID = 1u << 18, LOCK_ACTIVE = 1u << 19, LOCK_BLOCK_SCOPE = 1u << 20;

static __device__ __forceinline__ u32 lock_hash(u64 address) { return ((u32)(address >> 2) * 0x9E3779B1u) >> 14; }

static __device__ __forceinline__ u32 lock_entry(u64 table, u32 index) {
    return (u32)(table >> (index * LOCK_BITS)) & ((1u << LOCK_BITS) - 1);
}

static __device__ __forceinline__ volatile u64 *lock_table(u64 warp_locks, u64 thread_locks, u64 self) {
    volatile u64 *of_warp = (volatile u64 *)warp_locks + warp_of(self);
    return *of_warp & THREADS_LOCK ? (volatile u64 *)thread_locks + thread_of(self) : of_warp;
}

// The locks that are held, as a Bloom filter of 16 bits.
static __device__ __forceinline__ u32 held_locks(u64 warp_locks, u64 thread_locks, u64 self) {
    u64 table = *lock_table(warp_locks, thread_locks, self);
    u32 filter = 0;
    for (u32 index = 0; index < 3; index++) {
        u32 lock = lock_entry(table, index);
        if ((lock & LOCK_VALID) && (lock & LOCK_ACTIVE)) filter |= 1u << (lock & 15) | 1u << (lock >> 9 & 15);
    }
    return filter;
}

// The whole check of one entry. With locks, warps have 16 bits and the other eight of both halves hold the filter.
extern "C" __device__ __noinline__ void ws_iguard_check(u64 place, u64 address, u64 self, u32 first_warp, u32 warps_per_block,
                                                        u32 mask, u32 site, u32 access, u32 tag, u32 options, u32 limit,
                                                        u32 launch, u64 fences, u64 warp_locks, u64 thread_locks,
                                                        u64 reports) {
    const u64 filter_bits = 0xFFull << LOCKS;
    u64 tag_high = tag_of_high(tag), tag_low = tag_of_low(tag);
    bool with_locks = access & WITH_LOCKS;
    u32 own_held = with_locks ? held_locks(warp_locks, thread_locks, self) : 0;
    Entry entry = read_entry(place);
    u32 waited = 32;
    for (;;) {
        Entry plain = entry;
        u32 held = 0;
        if (with_locks) {
            held = (u32)(entry.high >> LOCKS & 0xFF) | (u32)(entry.low >> LOCKS & 0xFF) << 8;
            plain.high &= ~filter_bits;
            plain.low &= ~filter_bits;
        }
        u32 rule = 0, previous_sites = 0;
        u64 previous = 0, flags = 0;
        if (is_valid(entry, tag_high, tag_low)) {
            flags = shared_flags(plain.high, self, first_warp, warps_per_block);
            rule = judge(plain, flags, self, access, mask, first_warp, warps_per_block, (const u16 *)fences, held, own_held,
                         previous);
            if (rule) previous_sites = *(volatile u32 *)sites_of(place, address);
        } else {
            plain.low = tag_low;
        }
        Entry wanted = updated(plain, flags, self, access, tag_high, tag_low);
        if (with_locks) {
            wanted.high |= (u64)(own_held & 0xFF) << LOCKS;
            wanted.low = (wanted.low & ~filter_bits) | (u64)(own_held >> 8) << LOCKS;
        }
        bool keeps = !(options & NO_SHARING) && is_valid(entry, tag_high, tag_low) && (entry.high & DEVICE_SHARED) &&
                     ((access & 3) == LOAD || ((access & 7) == ATOMIC_ACCESS && (entry.high & (ATOMIC | BLOCK_SCOPE)) == ATOMIC));
        bool done = keeps || (wanted.low == entry.low && wanted.high == entry.high) || replace_entry(place, entry, wanted);
        if (!done) {
            wait_a_little(waited, limit);
            continue;
        }
        if (!keeps) write_site(place, address, site, (access & 3) == LOAD);
        if (rule) {
            Report race;
            race.address = address;
            race.self = self;
            race.previous = previous;
            race.site = site;
            race.previous_site = (access & 3) == LOAD ? previous_sites >> 16 : previous_sites & 0xFFFF;
            race.rule = rule | access << 8;
            race.mask = mask;
            race.launch = launch;
            race.unused = 0;
            race.variant = options >> 16;
            ws_report((Reports *)reports, race);
        }
        return;
    }
}

static __device__ __forceinline__ void check_fully(u64 place, u64 address, u64 self, u32 mask, u32 access) {
    ws_iguard_check(place, address, self, in_first_warp(), in_warps_per_block(), mask, in_site(), access, in_tag(),
                    context_options(), context_backoff_limit(), context_launch(), context_thread_fences(),
                    context_warp_locks(), context_thread_locks(), context_reports());
}

// What nearly every access needs: a first access, a read of what nobody writes, a thread's own data, atomics on atomics.
// Whether that was all.
template <u32 ACCESS> static __device__ __forceinline__ bool checked_quickly(u64 place, u64 address, u64 self) {
    const u32 type = ACCESS & 3;
    u32 tag = in_tag();
    u64 tag_high = tag_of_high(tag), tag_low = tag_of_low(tag), flags = 0;
    Entry found = read_entry(place), entry = found;
    if (is_valid(found, tag_high, tag_low)) {
        u64 kept_if = type == LOAD ? MODIFIED : ATOMIC | BLOCK_SCOPE, kept_value = type == LOAD ? 0 : ATOMIC;
        if (type == LOAD || ACCESS == ATOMIC_ACCESS)
            if ((found.high & (DEVICE_SHARED | kept_if)) == (DEVICE_SHARED | kept_value) && !(context_options() & NO_SHARING))
                return true;
        flags = shared_flags(found.high, self, in_first_warp(), in_warps_per_block());
        u64 previous = type == LOAD ? found.low : found.high;
        bool is_own = (((previous ^ self) & THREAD) | (flags & (DEVICE_SHARED | BLOCK_SHARED))) == 0;
        bool is_clean = is_own || (type == LOAD && !(flags & MODIFIED)) ||
                        (ACCESS == ATOMIC_ACCESS && (flags & (ATOMIC | BLOCK_SCOPE)) == ATOMIC);
        if (!is_clean) return false;
    } else {
        entry.low = tag_low;
    }
    Entry wanted = updated(entry, flags, self, ACCESS, tag_high, tag_low);
    if (wanted.low == found.low && wanted.high == found.high) return true;
    if (!replace_entry(place, found, wanted)) return false;
    write_site(place, address, in_site(), type == LOAD);
    return true;
}

// One lane checks for all that load or update the same location.
static __device__ __forceinline__ bool another_lane_checks(u64 address, u32 mask) {
    if (context_options() & NO_COALESCING) return false;
    u32 leader = __ffs(mask) - 1;
    u64 of_leader = __shfl_sync(mask, address, leader);
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return __all_sync(mask, of_leader == address) && lane != leader;
}

template <u32 ACCESS, u32 WORDS> static __device__ __forceinline__ void check_access() {
    u64 address = in_address();
    u32 mask = __activemask();
    if ((ACCESS & 3) != STORE && another_lane_checks(address, mask)) return;
    u64 place = entry_of(address);
    if (place == 0) return;
    u64 self = in_self();
#pragma unroll 1
    for (u32 word = 0; word < WORDS; word++) {
        if ((ACCESS & WITH_LOCKS) || !checked_quickly<ACCESS & 7>(place, address, self))
            check_fully(place, address, self, mask, ACCESS);
        place += 16;
        address += 4;
    }
}

// Adds one to a counter of the lane, which wraps.
static __device__ __forceinline__ u64 counted(u64 self, u32 field, u32 bits) {
    u64 mask = ((1ull << bits) - 1) << field;
    return (self & ~mask) | ((self + (1ull << field)) & mask);
}

static __device__ __forceinline__ void fence(bool is_device, bool with_locks) {
    u64 self = counted(in_self(), is_device ? DEVICE_FENCE : BLOCK_FENCE, 6);
    out_self(self);
    ((volatile u16 *)context_thread_fences())[thread_of(self)] = (u16)(self >> BLOCK_FENCE) & 0xFFF;
    if (!with_locks) return;
    u64 warp_locks = context_warp_locks(), thread_locks = context_thread_locks();
    volatile u64 *table = lock_table(warp_locks, thread_locks, self);
    u64 locks = *table;
    for (u32 index = 0; index < 3; index++) {
        u32 lock = lock_entry(locks, index);
        if ((lock & LOCK_VALID) && (is_device || (lock & LOCK_BLOCK_SCOPE))) locks |= (u64)LOCK_ACTIVE << (index * LOCK_BITS);
    }
    *table = locks;
}

// A lock may be taken (compare-and-swap) or given back (exchange).
static __device__ __forceinline__ void lock_or_unlock(bool is_swap, bool is_block, u32 mask) {
    // Locks are words of global memory.
    if (!__isGlobal((const void *)in_address())) return;
    u64 self = in_self(), warp_locks = context_warp_locks(), thread_locks = context_thread_locks();
    volatile u64 *of_warp = (volatile u64 *)warp_locks + warp_of(self);
    if (is_swap && (mask & (mask - 1))) {
        *of_warp = *of_warp | THREADS_LOCK;
        __syncwarp(mask);
    }
    bool threads_lock = *of_warp & THREADS_LOCK;
    if (!threads_lock && lane_of(self) != __ffs(mask) - 1) return;
    volatile u64 *table = threads_lock ? (volatile u64 *)thread_locks + thread_of(self) : of_warp;
    u64 locks = *table;
    u32 wanted = lock_hash(in_address()) | LOCK_VALID | (is_block ? LOCK_BLOCK_SCOPE : 0);
    u32 free_entry = 3;
    bool is_there = false;
    for (u32 index = 0; index < 3; index++) {
        u32 lock = lock_entry(locks, index);
        if ((lock & ~LOCK_ACTIVE) == wanted) {
            is_there = true;
            if (!is_swap) locks &= ~((u64)LOCK_VALID << (index * LOCK_BITS));
        }
        if (!(lock & LOCK_VALID) && free_entry == 3) free_entry = index;
    }
    if (is_swap && !is_there && free_entry < 3) {
        locks &= ~((u64)((1u << LOCK_BITS) - 1) << (free_entry * LOCK_BITS));
        locks |= (u64)wanted << (free_entry * LOCK_BITS);
    }
    *table = locks;
}
