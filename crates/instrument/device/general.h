// iGUARD's checks for locations of any size, and with any number of accessors that are remembered for each.
//
// An entry is too large to be exchanged in one step here, so it has a lock, as the paper's have: its first word is put
// aside while it is changed. Whoever has it waits for nobody, and gives it back before the next turn of the loop in
// which others of its warp try.
#pragma once
#include "iguard.h"

// The shape of entries, in the context (`shape.rs`): the granularity as a power of two, the accessors before the last one,
// and the bytes of an entry.
static __device__ __forceinline__ u32 granule_shift(u32 shape) { return shape & 0xFF; }
static __device__ __forceinline__ u32 older_accessors(u32 shape) { return shape >> OLDER_SHIFT & 0xFF; }
static __device__ __forceinline__ u32 entry_bytes(u32 shape) { return shape >> ENTRY_BYTES_SHIFT; }

constexpr u64 CHUNK_BYTES = 1ull << CHUNK_BITS;

// No entry is that: there is no such kind.
constexpr u64 TAKEN = ~0ull;

// An entry: the last accessor, the last writer where that is another, the accessors before the last one, newest first, all
// as in `layout.h`; then, for each of them in the same order, its instruction and (above) the locks that it held.
struct Entry {
    u64 place;
    u32 older;

    __device__ __forceinline__ volatile u64 *word(u32 index) const { return (volatile u64 *)place + index; }
    __device__ __forceinline__ volatile u32 *detail(u32 index) const { return (volatile u32 *)(word(2 + older)) + index; }
};

constexpr u32 ACCESSOR_PART = 0, WRITER_PART = 1, OLDER_PARTS = 2;

// Takes an entry; what is in it, or `TAKEN` if somebody else has it.
static __device__ __forceinline__ u64 take_entry(u64 place) {
    u64 found;
    asm volatile("atom.acquire.gpu.global.exch.b64 %0, [%1], %2;" : "=l"(found) : "l"(place), "l"(TAKEN) : "memory");
    return found;
}

static __device__ __forceinline__ void give_entry_back(u64 place, u64 accessor) {
    asm volatile("st.release.gpu.global.b64 [%0], %1;" ::"l"(place), "l"(accessor) : "memory");
}

// Whether the entry stays as it is, without a race, whoever else was there: what several blocks read, or update by atomics
// of device scope, and what the thread itself wrote just now.
static __device__ __forceinline__ bool is_settled(u64 entry, u64 self, u32 access, u32 options) {
    u64 kind = entry & KIND;
    bool is_load = (access & 3) == LOAD;
    if ((is_load && kind == KIND_LOADED) || ((access & 7) == ATOMIC_ACCESS && kind == KIND_ATOMIC))
        return (entry & DEVICE_SHARED) && !(options & NO_SHARING);
    return is_load && !(access & WITH_LOCKS) && kind >= KIND_STORED && ((entry ^ self) & ACCESSOR) == 0;
}

// The check of one granule.
extern "C" __device__ __noinline__ void ws_general_check(u64 place, u64 address, u64 self, u32 first_warp, u32 warps_per_block,
                                                         u32 mask, u32 site, u32 access, u32 base, u32 warps, u32 options,
                                                         u32 limit, u32 launch, u32 older, u64 fences, u64 warp_locks,
                                                         u64 thread_locks, u64 reports) {
    const bool is_load = (access & 3) == LOAD;
    const u64 mark = mark_of(base);
    const Entry parts = {place, older};
    u32 own_held = access & WITH_LOCKS ? held_locks(warp_locks, thread_locks, self) : 0;
    u32 rule = 0, previous_site = 0, waited = 32, is_done = 0;
    u64 previous = 0;
    do {
        u64 found = read_entry(place);
        if (is_of_launch(found - mark, warps) && is_settled(found - mark, self, access, options)) return;
        if (found != TAKEN) found = take_entry(place);
        if (found != TAKEN) {
            u64 entry = found - mark, kind = entry & KIND, left = found, flags = 0, wanted_kind = kind_of(access);
            bool is_kept = false;
            if (is_of_launch(entry, warps)) {
                bool has_writer = kind == KIND_LOADED_WRITTEN;
                u64 writer = has_writer ? *parts.word(WRITER_PART) - mark : entry;
                u32 last = *parts.detail(ACCESSOR_PART), held = last >> 16;
                u32 compared = is_load && has_writer ? *parts.detail(WRITER_PART) : last;
                flags = shared_flags(entry, self, first_warp, warps_per_block);
                rule = judge(entry, writer, flags, self, access, mask, first_warp, warps_per_block, (const u16 *)fences,
                             compared >> 16, own_held, previous);
                if (rule) previous_site = compared & 0xFFFF;
#pragma unroll 1
                for (u32 index = OLDER_PARTS; !is_load && !rule && index < OLDER_PARTS + older; index++) {
                    u64 other = *parts.word(index) - mark;
                    // What is of another launch is nobody, and so is everything behind it.
                    if (!is_of_launch(other, warps)) break;
                    u32 detail = *parts.detail(index);
                    rule = judge(other, writer, flags, self, access, mask, first_warp, warps_per_block, (const u16 *)fences,
                                 detail >> 16, own_held, previous);
                    if (rule) previous_site = detail & 0xFFFF;
                }
                bool is_shared = !(options & NO_SHARING) && (entry & DEVICE_SHARED) &&
                                 (is_load || ((access & 7) == ATOMIC_ACCESS && (writer & KIND) == KIND_ATOMIC));
                bool is_own = is_load && kind >= KIND_STORED && ((entry ^ self) & ACCESSOR) == 0 && held == own_held;
                is_kept = is_shared || is_own;
                if (!is_kept) {
                    if (is_load && kind != KIND_LOADED) wanted_kind = KIND_LOADED_WRITTEN;
                    if (is_load && kind >= KIND_STORED) {
                        // Who wrote makes room for who loads.
                        *parts.word(WRITER_PART) = found & ~SHARED;
                        *parts.detail(WRITER_PART) = last;
                    }
                    if (older != 0 && ((entry ^ self) & THREAD) != 0) {
#pragma unroll 1
                        for (u32 index = OLDER_PARTS + older - 1; index > OLDER_PARTS; index--) {
                            *parts.word(index) = *parts.word(index - 1);
                            *parts.detail(index) = *parts.detail(index - 1);
                        }
                        *parts.word(OLDER_PARTS) = found;
                        *parts.detail(OLDER_PARTS) = last;
                    }
                }
            }
            if (!is_kept) {
                *parts.detail(ACCESSOR_PART) = site | own_held << 16;
                left = (self | wanted_kind | flags) + mark;
            }
            give_entry_back(place, left);
            // The compiler does not know that the loop ends here, so that lanes which have an entry do not wait in front of
            // this for those which want it.
            asm volatile("mov.u32 %0, 1;" : "=r"(is_done)::"memory");
        } else {
            wait_a_little(waited, limit);
        }
    } while (is_done == 0);
    if (rule == 0) return;
    tell_race(address, self, previous, site, previous_site, rule, access, mask, launch, options, reports);
}

// The granules that an access has a part of. None of them is in two chunks, and no access is.
struct Granules {
    u64 chunk, first, end;
    u32 shape;

    __device__ __forceinline__ u64 bytes() const { return 1ull << granule_shift(shape); }

    __device__ __forceinline__ void check(u64 granule, u64 self, u32 mask, u32 access) const {
        u64 place = chunk + ((granule & (CHUNK_BYTES - 1)) >> granule_shift(shape)) * entry_bytes(shape);
        ws_general_check(place, granule, self, in_first_warp(), in_warps_per_block(), mask, in_site(), access, in_base(),
                         context_warps(), context_options(), context_backoff_limit(), context_launch(), older_accessors(shape),
                         context_thread_fences(), context_warp_locks(), context_thread_locks(), context_reports());
    }
};

static __device__ __forceinline__ Granules granules_of(u64 chunk, u64 address, u32 bytes) {
    u32 shape = context_shape();
    u64 first = address & ~((1ull << granule_shift(shape)) - 1);
    return {chunk, first, chunk == 0 || bytes == 0 ? first : address + bytes, shape};
}
