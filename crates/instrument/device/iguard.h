// iGUARD's checks (Kamath and Basu, SOSP 2021), on the device: Table 2 with the deviations that the host module
// names (`detect::iguard`). Both must say the same of the same accesses in the same order.
//
// What most accesses need is expanded in place; the rest is one function. An entry is exchanged by compare-and-swap,
// which is the paper's lock for each entry without anybody who holds it.
#pragma once
#include "layout.h"
#include "report.h"

static __device__ __forceinline__ u32 warp_of(u64 accessor) { return (u32)(accessor >> WARP) & ((1u << WARP_BITS) - 1); }
static __device__ __forceinline__ u32 lane_of(u64 accessor) { return (u32)(accessor >> LANE) & 31; }

// The index of a thread in the tables of threads.
static __device__ __forceinline__ u32 thread_of(u64 accessor) { return (u32)(accessor >> LANE) & 0x1FFFFFFF; }

// What metadata has for what a lane of this launch knows, and back.
static __device__ __forceinline__ u64 mark_of(u32 base) { return (u64)base << WARP; }

// Whether an entry, with its warp counted in this launch's grid, is of this launch.
static __device__ __forceinline__ bool is_of_launch(u64 entry, u32 warps) { return warp_of(entry) < warps; }

static __device__ __forceinline__ u64 kind_of(u32 access) {
    switch (access & 7) {
    case LOAD: return KIND_LOADED;
    case STORE: return KIND_STORED;
    case ATOMIC_ACCESS: return KIND_ATOMIC;
    default: return KIND_BLOCK_ATOMIC;
    }
}

// The flags of an entry once `self` has accessed it: who shares it. A location that warps of one block use in turn,
// with a barrier between, is not shared any more after the barrier.
static __device__ __forceinline__ u64 shared_flags(u64 entry, u64 self, u32 first_warp, u32 warps_per_block) {
    u64 flags = entry & SHARED;
    u32 previous = warp_of(entry);
    if (previous - first_warp >= warps_per_block) return flags | DEVICE_SHARED;
    if (!(flags & DEVICE_SHARED) && ((entry ^ self) & BLOCK_BARRIERS)) return 0;
    if (previous != warp_of(self)) return flags | BLOCK_SHARED;
    return flags;
}

static __device__ __forceinline__ void wait_a_little(u32 &nanoseconds, u32 limit) {
    if (limit == 0) return;
    __nanosleep(nanoseconds);
    if (nanoseconds < limit) nanoseconds *= 2;
}

// Table 2. 0 for no race, otherwise the number of the rule. `accessor` and `writer` are entries; without a writer the
// latter is a load. `held` are the locks of the one that the access is compared with: the writer, for a load.
static __device__ __forceinline__ u32 judge(u64 accessor, u64 writer, u64 flags, u64 self, u32 access, u32 mask, u32 first_warp,
                                            u32 warps_per_block, const u16 *fences, u32 held, u32 own_held, u64 &previous) {
    u32 type = access & 3;
    previous = (type == LOAD ? writer : accessor) & ACCESSOR;
    bool same_thread = ((previous ^ self) & THREAD) == 0;
    bool same_warp = warp_of(previous) == warp_of(self);
    bool same_block = warp_of(previous) - first_warp < warps_per_block;
    u64 written = writer & KIND;
    if (type == LOAD && written == KIND_LOADED) return 0;                                                   // P2
    if (!flags && same_thread) return 0;                                                                   // P3
    if (!flags && same_warp && (((previous ^ self) & WARP_BARRIERS) || (mask >> lane_of(previous) & 1))) return 0; // P4
    if (!(flags & DEVICE_SHARED) && same_block && ((previous ^ self) & BLOCK_BARRIERS)) return 0;          // P5
    bool of_block = written == KIND_BLOCK_ATOMIC, atomic_before = of_block || written == KIND_ATOMIC;
    if (atomic_before && type == ATOMIC_ACCESS && (same_block || !of_block)) return 0;                     // P6
    if (of_block && warp_of(writer) - first_warp >= warps_per_block) return 1;                             // R1
    if (same_thread) return 0;
    u32 now = fences ? *(const volatile u16 *)(fences + thread_of(previous)) : (u32)(previous >> BLOCK_FENCE) & 0xFFF;
    u32 changed = now ^ ((u32)(previous >> BLOCK_FENCE) & 0xFFF);
    bool same_fences = changed == 0;
    if (same_warp && same_fences && !flags) return 2;                                                      // R2
    if (same_block && same_fences && !(flags & DEVICE_SHARED)) return 3;                                   // R3
    if (!same_block && (changed >> 6) == 0) return 4;                                                      // R4
    if ((held | own_held) && !(held & own_held)) return 5;                                                 // R5
    return 0;
}

// Lock tables: three entries of hash (18 bits), valid, active and scope; the last bit says that threads lock on their own.
constexpr u64 THREADS_LOCK = 1ull << 63;
constexpr u32 LOCK_BITS = 21, LOCK_VALID = 1u << 18, LOCK_ACTIVE = 1u << 19, LOCK_BLOCK_SCOPE = 1u << 20;

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

// Whether an access finds what it would leave: loads behind loads, atomics behind atomics of the same scope.
static __device__ __forceinline__ bool is_alike(u64 kind, u32 access) {
    if ((access & 3) == LOAD) return kind == KIND_LOADED || kind == KIND_LOADED_WRITTEN;
    return (access & 3) == ATOMIC_ACCESS && kind == kind_of(access);
}

// Half of the filter of held locks, with the writer.
static __device__ __forceinline__ void keep_locks(u64 place, u32 held) {
    u64 found = read_entry(place);
    for (;;) {
        u64 wanted = (found & ~FILTER) | (u64)(held >> 8) << LOCKS;
        if (wanted == found || replace_entry(place, found, wanted)) return;
    }
}

// Tells the host of a race that a rule has found.
static __device__ __forceinline__ void tell_race(u64 address, u64 self, u64 previous, u32 site, u32 previous_site, u32 rule,
                                                 u32 access, u32 mask, u32 launch, u32 options, u64 reports) {
    Report race;
    race.address = address;
    race.accessor = self;
    race.previous = previous;
    race.site = site;
    race.previous_site = previous_site;
    race.rule = rule | access << 8;
    race.mask = mask;
    race.launch = launch;
    race.more = 0;
    race.variant = options >> 16;
    ws_report((Reports *)reports, race);
}

// The whole check of one entry.
extern "C" __device__ __noinline__ void ws_iguard_check(u64 place, u64 address, u64 self, u32 first_warp, u32 warps_per_block,
                                                        u32 mask, u32 site, u32 access, u32 base, u32 warps, u32 options,
                                                        u32 limit, u32 launch, u64 fences, u64 warp_locks, u64 thread_locks,
                                                        u64 reports) {
    const bool with_locks = access & WITH_LOCKS, is_load = (access & 3) == LOAD;
    const u64 mark = mark_of(base), unused = with_locks ? FILTER : 0, place_of_writer = place + WRITERS_OFFSET;
    u32 own_held = with_locks ? held_locks(warp_locks, thread_locks, self) : 0;
    u64 site_place = site_of(place, address);
    u32 waited = 32;
    for (bool again = false;; again = true) {
        u64 found = with_locks ? read_entry_first(place) : read_entry(place), found_writer = 0;
        u64 entry = (found & ~unused) - mark;
        bool is_valid = is_of_launch(entry, warps);
        u64 kind = entry & KIND;
        if (with_locks || (is_valid && (kind == KIND_LOADED_WRITTEN || (is_load && kind != KIND_LOADED)))) {
            // The writer is that of the accessor if the accessor is still the same afterwards: whoever puts a writer there changes
            // the accessor after that.
            found_writer = read_entry_first(place_of_writer);
            if (read_entry(place) != found) continue;
        }
        u64 flags = 0, wanted_kind = kind_of(access), previous = 0;
        u32 rule = 0, previous_site = 0;
        if (is_valid) {
            u64 writer = kind == KIND_LOADED_WRITTEN ? (found_writer & ~unused) - mark : entry;
            u32 held = with_locks ? (u32)(found >> LOCKS & 0xFF) | (u32)(found_writer >> LOCKS & 0xFF) << 8 : 0;
            flags = shared_flags(entry, self, first_warp, warps_per_block);
            bool of_writer = is_load && kind == KIND_LOADED_WRITTEN;
            u32 of_previous = with_locks && of_writer ? read_half(site_place + WRITER_LOCKS_OFFSET) : held;
            rule = judge(entry, writer, flags, self, access, mask, first_warp, warps_per_block, (const u16 *)fences, of_previous,
                         own_held, previous);
            if (rule) previous_site = read_half(site_place + (of_writer ? WRITER_SITES_OFFSET : 0));
            // What several blocks use in the same way is left as it is, and so is what the thread itself wrote just now. Of
            // accesses at the same time that are alike, any may be the last.
            bool is_shared = !(options & NO_SHARING) && (entry & DEVICE_SHARED) &&
                             (is_load || ((access & 7) == ATOMIC_ACCESS && (writer & KIND) == KIND_ATOMIC));
            bool is_own = is_load && kind >= KIND_STORED && ((entry ^ self) & ACCESSOR) == 0 && held == own_held;
            bool is_beaten = again && !with_locks && is_alike(kind, access) && flags == (entry & SHARED);
            if (!is_shared && !is_own && !is_beaten) {
                if (is_load && kind != KIND_LOADED) wanted_kind = KIND_LOADED_WRITTEN;
                if (is_load && kind >= KIND_STORED) {
                    // Who wrote makes room for who loads.
                    if (!replace_entry(place_of_writer, found_writer, found & ~SHARED)) {
                        wait_a_little(waited, limit);
                        continue;
                    }
                    write_half(site_place + WRITER_SITES_OFFSET, read_half(site_place));
                    if (with_locks) {
                        // Whoever finds that there is a writer finds its locks.
                        write_half(site_place + WRITER_LOCKS_OFFSET, held);
                        __threadfence();
                    }
                }
            } else {
                wanted_kind = KIND;
            }
        }
        if (wanted_kind != KIND) {
            u64 wanted = (self | wanted_kind | flags | (u64)(own_held & 0xFF) << LOCKS) + mark;
            if (wanted != found && !replace_entry(place, found, wanted)) {
                wait_a_little(waited, limit);
                continue;
            }
            if (with_locks) keep_locks(place_of_writer, own_held);
            write_half(site_place, site);
        }
        if (rule) tell_race(address, self, previous, site, previous_site, rule, access, mask, launch, options, reports);
        return;
    }
}

static __device__ __forceinline__ void check_fully(u64 place, u64 address, u64 self, u32 mask, u32 access) {
    ws_iguard_check(place, address, self, in_first_warp(), in_warps_per_block(), mask, in_site(), access, in_base(),
                    context_warps(), context_options(), context_backoff_limit(), context_launch(), context_thread_fences(),
                    context_warp_locks(), context_thread_locks(), context_reports());
}

// What nearly every access needs: a first access, a read of what nobody writes, a thread's own data, atomics on atomics.
// Whether that was all.
template <u32 ACCESS> static __device__ __forceinline__ bool checked_quickly(u64 place, u64 address, u64 self) {
    const u32 type = ACCESS & 3;
    const u64 own_kind = kind_of(ACCESS);
    u64 mark = mark_of(in_base()), found = read_entry(place), entry = found - mark, wanted = self | own_kind;
    if (is_of_launch(entry, context_warps())) {
        u64 kind = entry & KIND;
        if ((type == LOAD || ACCESS == ATOMIC_ACCESS) && (entry & (DEVICE_SHARED | KIND)) == (DEVICE_SHARED | own_kind) &&
            !(context_options() & NO_SHARING))
            return true;
        if (type == LOAD && kind >= KIND_STORED && ((entry ^ self) & ACCESSOR) == 0) return true;
        u64 flags = shared_flags(entry, self, in_first_warp(), in_warps_per_block());
        bool is_own = (((entry ^ self) & THREAD) | flags) == 0;
        bool is_clean = (type != LOAD && is_own) || (type == LOAD && kind == KIND_LOADED) ||
                        (ACCESS == ATOMIC_ACCESS && kind == KIND_ATOMIC);
        if (!is_clean) return false;
        wanted |= flags;
    }
    wanted += mark;
    if (wanted != found && !replace_entry(place, found, wanted)) {
        // Another lane was there at the same time. Loads that change nothing may as well have been before it.
        entry = found - mark;
        return type == LOAD && is_of_launch(entry, context_warps()) && (entry & KIND) == KIND_LOADED &&
               shared_flags(entry, self, in_first_warp(), in_warps_per_block()) == (entry & SHARED);
    }
    write_half(site_of(place, address), in_site());
    return true;
}

template <u32 ACCESS> static __device__ __forceinline__ void check_word(u64 place, u64 address, u64 self, u32 mask) {
    if ((ACCESS & WITH_LOCKS) || !checked_quickly<ACCESS & 7>(place, address, self))
        check_fully(place, address, self, mask, ACCESS);
}

// Whether all lanes access the same location.
static __device__ __forceinline__ bool is_one_address(u64 address, u32 mask) {
    if (context_options() & NO_COALESCING) return false;
    return __all_sync(mask, __shfl_sync(mask, address, __ffs(mask) - 1) == address);
}

template <u32 ACCESS, u32 WORDS> static __device__ __forceinline__ void check_words(u64 address, u32 mask) {
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    bool is_together = WORDS > 1 && mask == ~0u;
    if ((ACCESS & 3) != STORE && is_one_address(address, mask)) {
        // One lane checks for all.
        if (lane != __ffs(mask) - 1) return;
        is_together = false;
    }
    u64 place = entry_of(address), self = in_self();
    if (is_together) {
        // Lanes side by side check words side by side, whoever accesses them: so they share sectors of metadata.
#pragma unroll 1
        for (u32 word = lane; word < 32 * WORDS; word += 32) {
            u32 owner = word / WORDS, further = word % WORDS;
            u64 first = __shfl_sync(~0u, place, owner), of_owner = __shfl_sync(~0u, address, owner);
            u64 who = __shfl_sync(~0u, self, owner);
            if (first != 0) check_word<ACCESS>(first + further * 8, of_owner + further * 4, who, mask);
            __syncwarp();
        }
        return;
    }
    if (place == 0) return;
    if (WORDS == 1) return check_word<ACCESS>(place, address, self, mask);
    // A loop would yield, and the rest of the warp is then not kept waiting behind the branch that these lanes are in: there is none
    // as long as quick checks are enough.
    u32 left = 0;
#pragma unroll
    for (u32 word = 0; word < WORDS; word++)
        if ((ACCESS & WITH_LOCKS) || !checked_quickly<ACCESS & 7>(place + word * 8, address + word * 4, self)) left |= 1u << word;
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
        u32 word = __ffs(left) - 1;
        check_fully(place + word * 8, address + word * 4, self, mask, ACCESS);
    }
}

// Whether this lane is one that checks, which all are. Lanes that came together have to leave together, since what is checked
// next depends on who is there. Waiting for each other is not enough for that: the compiler makes loops yield, and lanes that
// have yielded are not waited for where paths join. But lanes that have waited inside of what looks like a branch are joined
// where it ends.
static __device__ __forceinline__ bool is_lane() { return in_self() != ~0ull; }

template <u32 ACCESS, u32 WORDS> static __device__ __forceinline__ void check_access() {
    u32 mask = __activemask();
    if (is_lane()) {
        check_words<ACCESS, WORDS>(in_address(), mask);
        if (mask == ~0u) __syncwarp();
        else __syncwarp(of_each_lane(mask));
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
