// Entries of hb on the device: who accessed a location last, and whether one thread did or several.
//
// For kernels whose blocks never meet, with barriers of whole blocks, order is series-parallel: blocks are side by side, a block is
// intervals between barriers one after the other, an interval is warps side by side, a warp is epochs between its own barriers, and an
// epoch is lanes side by side. So one writer, and one reader with a level (one lane, several lanes, several warps, several blocks), say
// all that a later access has to know. `detect::hb` says the same of the same accesses.
//
// Nobody waits for anybody: an entry is replaced in one step, and who replaces one compares what was there with what stands beside it.
#pragma once
#include "hb_layout.h"
#include "report.h"

// An entry, from the lowest bit on: flags, the instruction, the epoch of the warp, the lane, the warp in its block, one more flag, the level, and the
// identity: a number for each interval of each block, over launches. In entries of lines, the place of the lane has the shape of the access.
constexpr u32 SITE_PLACE = 3, LANE_PLACE = 22, WARP_PLACE = 27, LEVEL_PLACE = 33, IDENTITY_PLACE = 35;
constexpr u64 ONE_LANE = 0, LANES = 1ull << LEVEL_PLACE, WARPS = 2ull << LEVEL_PLACE, BLOCKS = 3ull << LEVEL_PLACE;
constexpr u64 LEVEL = 3ull << LEVEL_PLACE;
constexpr u64 SITE = 0xFFFull << SITE_PLACE, LANE_BITS = 31ull << LANE_PLACE, EPOCH = (u64)LAST_EPOCH << EPOCH_PLACE, WARP_BITS = 31ull << WARP_PLACE;
// The reader came by the read-only path.
constexpr u64 READ_ONLY_PATH = 1;
// In a writer's entry of shared memory, in the same place: it is an asynchronous copy that its thread has not waited for, so that nothing is after it yet.
constexpr u64 PENDING = 1;
// In an updater's entry, in the same place: it did not get the value that was there.
constexpr u64 NOT_RETURNED = 1;
// In entries of shared memory: it is a volatile access; and somebody has made a weak one, too, since the last barrier of the block.
constexpr u64 IS_VOLATILE = 4, WEAK_TOO = 1ull << 32;
// In a writer's entry there, in the place of PENDING, since no kernel has both: volatile stores of several threads, in no order with each other.
constexpr u64 SEVERAL_VOLATILE = 1;
// The warp had passed so many barriers of its own that epochs were used again.
constexpr u64 WRAPPED = EPOCHS_AGAIN;
// Where tiles, aligned groups of lanes, have barriers of their own, epochs count these. Where there are barriers of whole warps, too, the lower part counts those of the
// tile since the last one of the warp, and the upper part the others, from its highest bit on again and again. All ones in the part of tiles are no count: an entry of
// several lanes with these stands for lanes of several tiles.
constexpr u64 EPOCH_OF_TILE = 7ull << EPOCH_PLACE, WHOLE_WRAPPED = 64ull << EPOCH_PLACE;
// In the reader's place of words: somebody has written the word in this launch; and that is all that was done with it: the entry is the writer's.
constexpr u64 WRITTEN = 1ull << 32, ONLY_WRITTEN = 4;
// In the reader's place: the location is kept in smaller parts, whose number is in the lower bits. With an entry in the lower bits: nothing was done with the word but
// updates, and the entry is the newest updater's.
constexpr u64 IN_PARTS = 1ull << 63;

static __device__ __forceinline__ u32 identity_of(u64 entry) { return (u32)(entry >> IDENTITY_PLACE); }
static __device__ __forceinline__ u32 warp_of(u64 entry) { return (u32)entry >> WARP_PLACE; }
static __device__ __forceinline__ u32 lane_of(u64 entry) { return (u32)entry >> LANE_PLACE & 31; }
static __device__ __forceinline__ u32 site_of(u64 entry) { return (u32)entry >> SITE_PLACE & 0xFFF; }
// A mask of lanes to wait by, as `of_each_lane` has it, where only the lane's entry is known: its highest bit is never set.
static __device__ __forceinline__ u32 lanes_of(u64 me, u32 mask) { return mask | (u32)(me >> 63); }
// Whether it is no entry of a reader.
static __device__ __forceinline__ bool is_in_parts(u64 reader) { return (reader >> 63) != 0; }
static __device__ __forceinline__ u64 updater_in(u64 reader) { return reader & ~IN_PARTS; }
// Whether it is that of updaters. Numbers of parts are so small that they have no bits where entries have identities.
static __device__ __forceinline__ bool is_only_updated(u64 reader) { return is_in_parts(reader) && identity_of(updater_in(reader)) != 0; }
static __device__ __forceinline__ bool is_in_bytes(u64 reader) { return is_in_parts(reader) && !is_only_updated(reader); }

// Whether two entries are of the same warp between two of its barriers.
static __device__ __forceinline__ bool same_epoch(u64 one, u64 other) {
    return (((one ^ other) & (EPOCH | WARP_BITS)) | (identity_of(one) ^ identity_of(other))) == 0;
}

// A launch: its first identity, how many it has, how many bits of an identity are the interval, and what reports need. Code that stands in kernels is for those without
// barriers of tiles, which is half as much.
template <bool MAY_HAVE_TILES> struct LaunchOf {
    u32 base, count;
    u64 names;

    // Entries of other launches say nothing. What is in parts is no entry.
    __device__ __forceinline__ bool is_old(u64 entry) const { return identity_of(entry) - base >= count; }
    __device__ __forceinline__ u32 block_of(u64 entry) const { return (identity_of(entry) - base) >> ((u32)(names >> 48) & 31); }
    __device__ __forceinline__ u32 warps_per_block() const { return (u32)(names >> 56) & 127; }
    __device__ __forceinline__ u32 variant() const { return (u32)(names >> 32) & 0xFFFF; }
    __device__ __forceinline__ u32 launch() const { return (u32)names; }

    // The power of two of a tile's lanes; 0 where there are no barriers of tiles. And whether there are some of whole warps beside these.
    __device__ __forceinline__ u32 tile_shift() const { return (u32)(names >> TILE_PLACE) & 7; }
    __device__ __forceinline__ bool has_tiles() const { return MAY_HAVE_TILES && tile_shift() != 0; }
    __device__ __forceinline__ bool has_whole() const { return names >> BESIDE_WHOLE_PLACE; }
    // The part of an epoch that counts barriers of tiles.
    __device__ __forceinline__ u64 epoch_of_tile() const { return has_whole() ? EPOCH_OF_TILE : EPOCH; }
    __device__ __forceinline__ bool is_of_tiles(u64 entry) const {
        return has_tiles() && (entry & LEVEL) == LANES && (entry & epoch_of_tile()) == epoch_of_tile();
    }
    __device__ __forceinline__ bool are_in_one_tile(u64 one, u64 other) const { return ((lane_of(one) ^ lane_of(other)) >> tile_shift()) == 0; }
    // The part of the epochs of an entry and an access of one warp, in one interval, that differs if a barrier of both was between them.
    template <bool IS_LINE> __device__ __forceinline__ u64 epoch_in_common(u64 entry, u64 me) const {
        if (!has_tiles()) return EPOCH;
        bool is_one_tile = IS_LINE ? ((entry ^ me) & LANE_BITS) == 0 : are_in_one_tile(entry, me) && !is_of_tiles(entry);
        return is_one_tile ? EPOCH : EPOCH & ~epoch_of_tile();
    }
};
using Launch = LaunchOf<true>;
using LaunchInPlace = LaunchOf<false>;

// Whether an access is ordered with none of, or not all of, those that an entry stands for. Both are of this launch. The access may be of all lanes of a warp. In entries of
// lines, shapes stand where others have lanes: lanes have the same places if shapes are the same.
template <bool IS_LINE = false, typename OneLaunch = Launch> static __device__ __forceinline__ bool is_unordered(const OneLaunch &launch, u64 entry, u64 me) {
    u64 level = entry & LEVEL;
    if (identity_of(entry) != identity_of(me)) return level == BLOCKS || launch.block_of(entry) != launch.block_of(me);
    if (level >= WARPS) return true;
    if ((entry ^ me) & WARP_BITS) return true;
    if ((entry ^ me) & launch.template epoch_in_common<IS_LINE>(entry, me)) return false;
    return level == LANES || (me & LEVEL) == LANES || ((entry ^ me) & LANE_BITS) != 0;
}

// What an entry becomes when one more has read, or updated, the location.
template <bool IS_LINE = false, typename OneLaunch = Launch> static __device__ __forceinline__ u64 joined(const OneLaunch &launch, u64 entry, u64 me) {
    if (launch.is_old(entry)) return me;
    u64 level = entry & LEVEL, newer = me | (entry & WRITTEN);
    if (level == BLOCKS) return entry;
    if (identity_of(entry) != identity_of(me)) return launch.block_of(entry) == launch.block_of(me) ? newer : newer | BLOCKS;
    if (level == WARPS) return entry;
    if ((entry ^ me) & WARP_BITS) return (newer & ~LEVEL) | WARPS;
    u64 epoch = launch.template epoch_in_common<IS_LINE>(entry, me);
    if ((entry ^ me) & epoch) return newer;
    if (epoch != EPOCH) return launch.is_of_tiles(entry) ? entry : newer | LANES | launch.epoch_of_tile();
    if (level == LANES) return entry;
    if ((entry ^ me) & LANE_BITS) return newer | LANES;
    return (me & LEVEL) ? newer : entry;
}

// Whether an entry stands for more lanes, warps or blocks than the one before.
static __device__ __forceinline__ bool is_wider(const Launch &launch, u64 wanted, u64 before) {
    return (wanted & LEVEL) > (before & LEVEL) || (launch.is_of_tiles(wanted) && !launch.is_of_tiles(before));
}

// Where the entries of a location are: of who wrote, who read, and who updated; and where the site of another reader than the newest is kept.
struct Location {
    u64 writer, reader, updater, witness;
};

// Entries in global and in shared memory are reached by generic addresses here.
static __device__ __forceinline__ u64 read_entry(u64 place) {
    u64 entry;
    asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(entry) : "l"(place) : "memory");
    return entry;
}

// The same once `before` is known: it may not be read earlier.
static __device__ __forceinline__ u64 read_entry_after(u64 place, u64 before) { return read_entry(place + (before == ~0ull)); }

static __device__ __forceinline__ u64 swap_entry(u64 place, u64 expected, u64 wanted) {
    u64 found;
    asm volatile("atom.relaxed.gpu.cas.b64 %0, [%1], %2, %3;" : "=l"(found) : "l"(place), "l"(expected), "l"(wanted) : "memory");
    return found;
}

static __device__ __forceinline__ u64 exchange_entry(u64 place, u64 wanted) {
    u64 found;
    asm volatile("atom.relaxed.gpu.exch.b64 %0, [%1], %2;" : "=l"(found) : "l"(place), "l"(wanted) : "memory");
    return found;
}

// Replaces an entry by one that is larger, which newer ones are. What was there before.
static __device__ __forceinline__ u64 raise_entry(u64 place, u64 wanted) {
    u64 found;
    asm volatile("atom.relaxed.gpu.max.u64 %0, [%1], %2;" : "=l"(found) : "l"(place), "l"(wanted) : "memory");
    return found;
}

static __device__ __forceinline__ void note_gap(EntriesHead *head, u32 gap) {
    if ((*(volatile u32 *)&head->gaps & gap) == 0) atomicOr(&head->gaps, gap);
}

// So often somebody tries to replace an entry that others replace all the time.
constexpr u32 MOST_ATTEMPTS = 128;
