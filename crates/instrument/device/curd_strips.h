// Whether two strips have a byte in common that two threads accessed.
#pragma once
#include "curd_entries.h"

struct Strip {
    u64 start;
    u64 row; // where the distances of scattered lanes are
    u32 mask, size, run_count, site, warp, time;
    s32 lane_stride, run_stride;
    bool writes;
};

static __device__ __forceinline__ Strip strip_of(const Entry &entry, u64 rows) {
    Strip strip;
    u32 flags = entry.who >> FLAG_SHIFT;
    strip.start = entry.start & ADDRESS;
    strip.site = (u32)(entry.start >> SITE_SHIFT);
    strip.mask = entry.mask;
    strip.size = entry.shape & ((1u << SIZE_BITS) - 1);
    strip.run_count = entry.run_count & MOST_RUNS;
    strip.time = time_of(entry);
    strip.run_stride = entry.run_stride;
    strip.warp = entry.who & WARPS;
    strip.writes = flags & WRITES;
    strip.row = flags & SCATTERED ? rows + (u64)(u32)entry.lane_stride * ROW_BYTES : 0;
    strip.lane_stride = strip.row ? 0 : entry.lane_stride;
    return strip;
}

static __device__ __forceinline__ u32 first_lane(u32 mask) { return __ffs(mask) - 1; }
static __device__ __forceinline__ u32 last_lane(u32 mask) { return 31 - __clz(mask); }

static __device__ __forceinline__ u64 start_of(const Strip &strip, u32 lane) {
    if (strip.row) return strip.start + (s64)((const s32 *)strip.row)[lane];
    return strip.start + (s64)strip.lane_stride * (s32)(lane - first_lane(strip.mask));
}

// From the first byte to behind the last one. Of scattered lanes it is all that can be.
static __device__ __forceinline__ void bounds(const Strip &strip, u64 &low, u64 &high) {
    s64 lanes = (s64)strip.lane_stride * (s32)(last_lane(strip.mask) - first_lane(strip.mask));
    s64 runs = (s64)strip.run_stride * (s64)(strip.run_count - 1);
    low = strip.start + (lanes < 0 ? lanes : 0) + (runs < 0 ? runs : 0);
    high = strip.start + (lanes > 0 ? lanes : 0) + (runs > 0 ? runs : 0) + strip.size;
    if (!strip.row) return;
    const s64 widest = 1ll << 31;
    low = low > widest ? low - widest : 0;
    high += widest;
}

// Of numbers that are not negative. Most are small, and long division is long.
static __device__ __forceinline__ s64 quotient(s64 number, s64 by) {
    if ((u64)(number | by) >> 32 == 0) return (u32)number / (u32)by;
    return number / by;
}

// Whether a region that moves by `stride` up to `count - 1` times meets one that stays: `distance` is from that one's start.
static __device__ __forceinline__ bool meets(s64 distance, u32 size, u32 other, s64 stride, u32 count, u32 &turn) {
    turn = 0;
    s64 nearest = 1 - (s64)size;
    if (distance < nearest || distance >= other) {
        if (count < 2 || stride == 0) return false;
        bool is_back = stride < 0;
        s64 step = is_back ? -stride : stride;
        s64 from = is_back ? distance + stride * (s64)(count - 1) : distance;
        s64 steps = from >= nearest ? 0 : quotient(nearest - from + step - 1, step);
        if (steps >= count || from + steps * step >= other) return false;
        turn = is_back ? count - 1 - (u32)steps : (u32)steps;
    }
    return true;
}

// The same where both move. `first_turn` and `second_turn` are where they meet.
static __device__ __forceinline__ bool runs_meet(s64 distance, const Strip &first, const Strip &second, u32 &first_turn,
                                                 u32 &second_turn) {
    first_turn = second_turn = 0;
    if (second.run_count == 1 || second.run_stride == 0)
        return meets(distance, first.size, second.size, first.run_stride, first.run_count, first_turn);
    if (first.run_count == 1 || first.run_stride == 0)
        return meets(distance, first.size, second.size, -(s64)second.run_stride, second.run_count, second_turn);
    s64 stride = first.run_stride;
    if (first.run_stride == second.run_stride) {
        u32 turn, back = second.run_count - 1;
        if (!meets(distance - stride * (s64)back, first.size, second.size, stride, first.run_count + back, turn)) return false;
        first_turn = turn > back ? turn - back : 0;
        second_turn = turn > back ? 0 : back - turn;
        return true;
    }
    bool is_first_longer = first.run_count > second.run_count;
    u32 fewer = is_first_longer ? second.run_count : first.run_count;
    for (u32 turn = 0; turn < fewer; turn++) {
        if (is_first_longer) {
            second_turn = turn;
            if (meets(distance - (s64)second.run_stride * turn, first.size, second.size, stride, first.run_count, first_turn)) return true;
        } else {
            first_turn = turn;
            if (meets(distance + stride * turn, first.size, second.size, -(s64)second.run_stride, second.run_count, second_turn))
                return true;
        }
    }
    return false;
}

struct Meeting {
    u64 address;
    u32 first, second; // lanes
};

static __device__ __forceinline__ bool lanes_meet(const Strip &first, const Strip &second, u32 one, u32 other, Meeting &meeting) {
    u64 from = start_of(first, one), to = start_of(second, other);
    u32 first_turn, second_turn;
    if (!runs_meet((s64)(from - to), first, second, first_turn, second_turn)) return false;
    u64 a = from + (s64)first.run_stride * first_turn, b = to + (s64)second.run_stride * second_turn;
    meeting.address = a > b ? a : b;
    meeting.first = one;
    meeting.second = other;
    return true;
}

static __device__ __forceinline__ bool may_meet(const Strip &first, const Strip &second) {
    u64 low, high, other_low, other_high;
    bounds(first, low, high);
    bounds(second, other_low, other_high);
    return low < other_high && other_low < high;
}

static __device__ __forceinline__ s64 distance_of(s32 stride) { return stride < 0 ? -(s64)stride : stride; }

// Whether the lanes of a strip have nothing in common with each other, by their distances alone.
static __device__ __forceinline__ bool has_lanes_apart(const Strip &strip) {
    s64 lanes = distance_of(strip.lane_stride);
    bool are_apart = strip.mask == (strip.mask & -strip.mask) || lanes >= strip.size;
    return !strip.row && are_apart && (strip.run_count == 1 || distance_of(strip.run_stride) >= 31 * lanes + strip.size);
}

static __device__ __forceinline__ bool are_same_regions(const Strip &first, const Strip &second) {
    return first.start == second.start && first.lane_stride == second.lane_stride && first.run_stride == second.run_stride &&
           first.size == second.size && first_lane(first.mask) == first_lane(second.mask);
}

// Which differences between the numbers of two lanes can be: of those that lie at one distance, and came once.
static __device__ __forceinline__ void differences(const Strip &first, const Strip &second, s32 &from, s32 &to) {
    from = -31;
    to = 31;
    if (first.run_count != 1 || second.run_count != 1 || first.lane_stride == 0) return;
    s64 stride = first.lane_stride, shift = (s32)(first_lane(second.mask) - first_lane(first.mask));
    s64 apart = (s64)(first.start - second.start) + stride * shift;
    s64 low = 1 - (s64)first.size - apart, high = (s64)second.size - 1 - apart;
    if (stride < 0) {
        s64 lowest = low;
        low = -high;
        high = -lowest;
        stride = -stride;
    }
    s64 most = 31 * stride;
    if (low > most || high < -most) {
        to = -32;
        return;
    }
    if (low > -most) from = (s32)quotient(low + most + stride - 1, stride) - 31;
    if (high < most) to = (s32)quotient(high + most, stride) - 31;
}

// Whether rows of so many bytes that follow each other at one distance have nothing in common.
static __device__ __forceinline__ bool are_apart(s64 distance, s64 width, s64 other, s64 stride, u32 count, u32 other_count) {
    const s64 widest = 1ll << 31;
    u32 turn;
    return width < widest && other < widest &&
           !meets(distance - stride * (s64)(other_count - 1), (u32)width, (u32)other, stride, count + other_count - 1, turn);
}

// Whether two strips are apart if all between the first and the last byte of a row belongs to it: a row has all lanes, or all
// turns of a lane.
static __device__ __forceinline__ bool have_rows_apart(const Strip &first, const Strip &second) {
    if (first.row || second.row) return false;
    u32 steps = last_lane(first.mask) - first_lane(first.mask), other_steps = last_lane(second.mask) - first_lane(second.mask);
    s64 lanes = (s64)first.lane_stride * steps, other_lanes = (s64)second.lane_stride * other_steps;
    s64 runs = (s64)first.run_stride * (s64)(first.run_count - 1), other_runs = (s64)second.run_stride * (s64)(second.run_count - 1);
    s64 apart = (s64)(first.start - second.start);
    if (first.run_stride == second.run_stride &&
        are_apart(apart + (lanes < 0 ? lanes : 0) - (other_lanes < 0 ? other_lanes : 0), first.size + (lanes < 0 ? -lanes : lanes),
                  second.size + (other_lanes < 0 ? -other_lanes : other_lanes), first.run_stride, first.run_count, second.run_count))
        return true;
    return first.lane_stride == second.lane_stride &&
           are_apart(apart + (runs < 0 ? runs : 0) - (other_runs < 0 ? other_runs : 0), first.size + (runs < 0 ? -runs : runs),
                     second.size + (other_runs < 0 ? -other_runs : other_runs), first.lane_stride, steps + 1, other_steps + 1);
}

// Two threads that access the same byte. The lanes of two strips with one distance are as far apart as their numbers, so that one
// pair is tried for each difference.
static __device__ bool strips_meet(const Strip &first, const Strip &second, Meeting &meeting) {
    if (!may_meet(first, second)) return false;
    bool same_warp = first.warp == second.warp;
    // What a thread reads and writes again and again is its own.
    if (same_warp && are_same_regions(first, second) && has_lanes_apart(first) && has_lanes_apart(second)) return false;
    if (have_rows_apart(first, second)) return false;
    if (!first.row && !second.row && first.lane_stride == second.lane_stride) {
        s32 from, to;
        differences(first, second, from, to);
        for (s32 difference = from; difference <= to; difference++) {
            if (same_warp && difference == 0) continue;
            u32 lanes = first.mask & (difference >= 0 ? second.mask << difference : second.mask >> -difference);
            if (lanes == 0) continue;
            u32 one = first_lane(lanes);
            if (lanes_meet(first, second, one, one - difference, meeting)) return true;
        }
        return false;
    }
    for (u32 lanes = first.mask; lanes; lanes &= lanes - 1) {
        u32 one = first_lane(lanes);
        for (u32 others = second.mask; others; others &= others - 1) {
            u32 other = first_lane(others);
            if (same_warp && one == other) continue;
            if (lanes_meet(first, second, one, other, meeting)) return true;
        }
    }
    return false;
}

// Who races with whom, in reports.
enum Class { IN_A_WARP = 1, IN_A_BLOCK = 2, BETWEEN_BLOCKS = 3 };
constexpr u32 IN_SHARED_MEMORY = 4;

static __device__ __forceinline__ void tell(u64 reports, u32 launch, u32 options, const Strip &first, const Strip &second,
                                         const Meeting &meeting, u32 of) {
    // A pair of instructions is told in one order.
    bool is_turned = first.site > second.site || (first.site == second.site && !first.writes);
    const Strip &later = is_turned ? first : second, &earlier = is_turned ? second : first;
    Report race;
    race.address = meeting.address;
    race.accessor = (u64)later.warp << 31 | (u64)(is_turned ? meeting.first : meeting.second) << 26;
    race.previous = (u64)earlier.warp << 31 | (u64)(is_turned ? meeting.second : meeting.first) << 26;
    race.site = later.site;
    race.previous_site = earlier.site;
    race.rule = of;
    race.mask = later.mask;
    race.launch = launch;
    race.more = 0;
    race.variant = options >> 16;
    ws_report((Reports *)reports, race);
}
