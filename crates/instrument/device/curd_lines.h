// Lines of 128 bytes, in which entries meet, and lists of those that access a line.
#pragma once
#include "curd_strips.h"

constexpr u32 LINE_BITS = 7;
// Nodes that are taken together.
constexpr u32 TOGETHER = 4;
// Accesses to one line that are looked at, and races of an entry that are told.
constexpr u32 MOST_IN_LINE = 1u << 16, MOST_TOLD = 1024;

// The words of a line that lie between two addresses.
static __device__ __forceinline__ u32 words_between(u64 low, u64 high, u64 line) {
    u64 start = line << LINE_BITS, end = start + (1ull << LINE_BITS);
    u32 first = low > start ? (u32)(low - start) >> 2 : 0, last = high < end ? (u32)(high - 1 - start) >> 2 : 31;
    return ~0u >> (31 - (last - first)) << first;
}

// Does something with every line that a strip touches, and with the words of it; some may come twice.
template <typename Do> static __device__ __forceinline__ void for_each_line(const Strip &strip, Do &&action) {
    s64 apart = distance_of(strip.lane_stride);
    bool are_close = !strip.row && apart <= 1 << LINE_BITS, are_dense = apart <= (strip.size > 4 ? strip.size : 4);
    u32 last = last_lane(strip.mask), steps = last - first_lane(strip.mask), gathered = 0;
    u64 before = ~0ull;
    for (u32 turn = 0; turn < strip.run_count; turn++) {
        u64 moved = (s64)strip.run_stride * turn;
        u32 todo = are_close ? 1u << first_lane(strip.mask) : strip.mask;
        for (; todo; todo &= todo - 1) {
            u64 low = start_of(strip, first_lane(todo)) + moved, high = low + strip.size;
            if (are_close) {
                u64 other = start_of(strip, last) + moved;
                if (other < low) low = other;
                if (other + strip.size > high) high = other + strip.size;
            }
            for (u64 line = low >> LINE_BITS; line <= (high - 1) >> LINE_BITS; line++) {
                u32 words = words_between(low, high, line);
                if (are_close && !are_dense) {
                    // From the first lane that reaches the line on; lanes that did not come count as well.
                    words = 0;
                    u64 from = line << LINE_BITS, to = from + (1ull << LINE_BITS);
                    u32 step = from > low + strip.size - 1 ? (u32)(from - low - strip.size) / (u32)apart + 1 : 0;
                    for (; step <= steps; step++) {
                        u64 at = low + (u64)apart * step;
                        if (at >= to) break;
                        words |= words_between(at > from ? at : from, at + strip.size < to ? at + strip.size : to, line);
                    }
                }
                if (line != before) {
                    if (gathered) action(before, gathered);
                    before = line;
                    gathered = 0;
                }
                gathered |= words;
            }
        }
        if (strip.run_stride == 0) break;
    }
    if (gathered) action(before, gathered);
}

static __device__ __forceinline__ u64 bucket_of(const Sets *sets, u64 line) { return line & ((1ull << sets->bucket_bits) - 1); }

// The list of those that write to a line.
static __device__ __forceinline__ u64 *list_of(const Sets *sets, u64 line) {
    return (u64 *)sets->buckets + (1ull << sets->bucket_bits) + bucket_of(sets, line);
}

// The first node of a list is behind the launch that the list is of.
static __device__ __forceinline__ u64 head_of(u32 launch, u32 node) { return (u64)(launch + 1) << 32 | (node + 1); }
static __device__ __forceinline__ u32 next_of(u32 launch, u64 head) { return head >> 32 == launch + 1 ? (u32)head : 0; }

// An access to a line: the words of it, in a mask.
struct Node {
    u32 entry, next, line, words;
};

// The nodes of an entry: the first line has one of its own, and further ones are taken together.
struct Nodes {
    Sets *sets;
    u32 number, next, left;

    __device__ __forceinline__ u32 take() {
        if (left == 0) {
            u32 partition = number % PARTITIONS, index = atomicAdd(&sets->counters[partition].nodes, TOGETHER);
            if (index + TOGETHER > sets->partition_nodes) {
                gap(sets, NO_ROOM_FOR_BLOCKS);
                return ~0u;
            }
            next = sets->direct_entries + PARTITIONS * sets->partition_entries + partition * sets->partition_nodes + index;
            left = TOGETHER;
        }
        left--;
        return next++;
    }

    __device__ __forceinline__ void put(u32 node, u32 behind, u64 line, u32 words) const {
        Node *place = (Node *)sets->nodes + node;
        place->entry = number;
        place->next = behind;
        place->line = (u32)line;
        place->words = words;
    }
};

// Does something with the entries of a list that access words of a line.
template <typename Do>
static __device__ __forceinline__ void for_each_writer(Sets *sets, u32 node, u64 line, u32 words, Do &&action) {
    u32 looked_at = 0;
    while (node) {
        u32 entry, next, its_line, its_words;
        asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(entry), "=r"(next), "=r"(its_line), "=r"(its_words)
                     : "l"(sets->nodes + (u64)(node - 1) * sizeof(Node))
                     : "memory");
        node = next;
        if (its_line != (u32)line || !(its_words & words)) continue;
        if (++looked_at > MOST_IN_LINE) return gap(sets, TOO_CROWDED);
        action(entry);
    }
}

// The launch whose entries are compared.
struct Compared {
    u64 reports;
    u32 launch, options, warps_per_block;
};

// What was told of an entry: how often, and with which instruction the last time, and as what.
struct Told {
    u32 count = 0, last = ~0u;
};

// Compares an entry with another one, of which one writes.
static __device__ __forceinline__ void compare(Sets *sets, const Compared &compared, const Strip &strip, u32 number, Told &told) {
    if (told.count >= MOST_TOLD) return gap(sets, TOO_CROWDED);
    Strip other = strip_of(get(sets->entries + (u64)number * ENTRY_BYTES), sets->rows);
    bool same_block = strip.warp / compared.warps_per_block == other.warp / compared.warps_per_block;
    if (same_block && (strip.time != other.time || strip.time == NO_TIME)) return;
    u32 of = strip.warp == other.warp ? IN_A_WARP : same_block ? IN_A_BLOCK : BETWEEN_BLOCKS, what = other.site << 2 | of;
    Meeting meeting;
    if (what == told.last || !strips_meet(strip, other, meeting)) return;
    tell(compared.reports, compared.launch, compared.options, strip, other, meeting, of);
    told.last = what;
    told.count++;
}
