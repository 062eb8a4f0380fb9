// CURD's lazy scheme: kernels of their own that compare blocks when a kernel has ended.
//
// The thesis compares each block with every other one, which half a million blocks would not end. Here writes are found by the
// lines of 128 bytes that they touch: the first kernel enters them into a table of lines, the second looks up the lines of every
// entry that lies where something was written at all, and compares it with the writes that it finds there. So every pair that can
// have a byte in common is compared.
#include "curd_strips.h"

static const u32 LINE_BITS = 7;
// Writes to one line that are looked at, and races of an entry that are told.
// Nodes that are taken together.
static const u32 TOGETHER = 4;
static const u32 WARP_MASK = ~0u;
static const u32 MOST_IN_LINE = 1u << 16, MOST_TOLD = 64;

struct Node {
    u32 entry, next;
    u64 line;
};

struct Checked {
    u64 sets, reports;
    u32 direct_used; // entries at places of their own
    u32 launch, options;
    u32 warps_per_block;
};

// Does something with every entry of the launch, each by one thread.
template <typename Do> static __device__ __forceinline__ void for_each_entry(const Checked &checked, Do &&action) {
    const Sets *sets = (const Sets *)checked.sets;
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x, tag = tag_of(checked.launch);
    u32 direct = checked.direct_used < sets->direct_entries ? checked.direct_used : sets->direct_entries;
    for (u32 index = thread; index < direct; index += threads) {
        Entry entry = get(sets->entries + (u64)index * ENTRY_BYTES);
        if (entry.shape >> TAG_SHIFT == tag) action(index, entry);
    }
    // Blocks of the checker share the partitions.
    for (u32 partition = blockIdx.x % PARTITIONS; partition < PARTITIONS; partition += gridDim.x < PARTITIONS ? gridDim.x : PARTITIONS) {
        u32 used = sets->counters[partition].entries;
        if (used > sets->partition_entries) used = sets->partition_entries;
        u32 sharers = gridDim.x < PARTITIONS ? 1 : (gridDim.x - partition + PARTITIONS - 1) / PARTITIONS;
        u32 from = (gridDim.x < PARTITIONS ? 0 : blockIdx.x / PARTITIONS) * blockDim.x + threadIdx.x;
        for (u32 index = from; index < used; index += sharers * blockDim.x) {
            u32 number = sets->direct_entries + partition * sets->partition_entries + index;
            action(number, get(sets->entries + (u64)number * ENTRY_BYTES));
        }
    }
}

// Does something with every line that a strip touches; some may come twice.
template <typename Do> static __device__ __forceinline__ void for_each_line(const Strip &strip, Do &&action) {
    const s64 line_bytes = 1ll << LINE_BITS;
    s64 lanes = strip.lane_stride < 0 ? -(s64)strip.lane_stride : strip.lane_stride;
    bool are_close = !strip.row && lanes <= line_bytes;
    u64 last = ~0ull;
    for (u32 turn = 0; turn < strip.run_count; turn++) {
        u64 moved = (s64)strip.run_stride * turn;
        u32 todo = are_close ? 1u << first_lane(strip.mask) : strip.mask;
        for (; todo; todo &= todo - 1) {
            u64 low = start_of(strip, first_lane(todo)) + moved, high = low + strip.size;
            if (are_close) {
                u64 other = start_of(strip, last_lane(strip.mask)) + moved;
                if (other < low) low = other;
                if (other + strip.size > high) high = other + strip.size;
            }
            for (u64 line = low >> LINE_BITS; line <= (high - 1) >> LINE_BITS; line++) {
                if (line != last) action(line);
                last = line;
            }
        }
        if (strip.run_stride == 0) return;
    }
}

static __device__ __forceinline__ u64 *bucket_of(const Sets *sets, u64 line) {
    return (u64 *)sets->buckets + (line & ((1ull << sets->bucket_bits) - 1));
}

// The first kernel: where something was written.
extern "C" __global__ void __launch_bounds__(256, 4) ws_curd_enter(Checked checked) {
    Sets *sets = (Sets *)checked.sets;
    u64 start = ~0ull, end = 0;
    u32 all_entries = sets->direct_entries + PARTITIONS * sets->partition_entries;
    for_each_entry(checked, [&](u32 number, const Entry &entry) {
        if (!(entry.who >> FLAG_SHIFT & WRITES)) return;
        Strip strip = strip_of(entry, sets->rows);
        u64 low, high;
        bounds(strip, low, high);
        if (low < start) start = low;
        if (high > end) end = high;
        // The first line has the node of the entry; further ones are taken together.
        u32 partition = number % PARTITIONS, next = number, left = 1;
        for_each_line(strip, [&](u64 line) {
            if (left == 0) {
                u32 index = atomicAdd(&sets->counters[partition].nodes, TOGETHER);
                if (index + TOGETHER > sets->partition_nodes) return gap(sets, NO_ROOM_FOR_BLOCKS);
                next = all_entries + partition * sets->partition_nodes + index;
                left = TOGETHER;
            }
            u32 node = next++;
            left--;
            u64 head = (u64)(checked.launch + 1) << 32 | (node + 1);
            u64 before = atomicExch(bucket_of(sets, line), head);
            Node *place = (Node *)sets->nodes + node;
            place->entry = number;
            place->line = line;
            place->next = before >> 32 == checked.launch + 1 ? (u32)before : 0;
        });
    });
    for (u32 distance = 16; distance; distance /= 2) {
        u64 other = __shfl_xor_sync(WARP_MASK, start, distance);
        if (other < start) start = other;
        other = __shfl_xor_sync(WARP_MASK, end, distance);
        if (other > end) end = other;
    }
    if (end && own_lane() == 0) {
        atomicMax(&sets->write_end, end);
        atomicMax(&sets->write_start, ~start);
    }
}

// The second kernel: who accessed that, too.
extern "C" __global__ void __launch_bounds__(256, 4) ws_curd_look_up(Checked checked) {
    Sets *sets = (Sets *)checked.sets;
    u64 start = ~sets->write_start, end = sets->write_end;
    if (end == 0) return;
    for_each_entry(checked, [&](u32 number, const Entry &entry) {
        Strip strip = strip_of(entry, sets->rows);
        u64 low, high;
        bounds(strip, low, high);
        if (low >= end || high <= start) return;
        u32 block = strip.warp / checked.warps_per_block, told = 0;
        for_each_line(strip, [&](u64 line) {
            if (told >= MOST_TOLD || line < start >> LINE_BITS || line > (end - 1) >> LINE_BITS) return;
            u64 head = *bucket_of(sets, line);
            if (head >> 32 != checked.launch + 1) return;
            u32 node = (u32)head, looked_at = 0;
            while (node) {
                const Node *at = (const Node *)sets->nodes + (node - 1);
                node = at->next;
                if (at->line != line) continue;
                if (++looked_at > MOST_IN_LINE) return gap(sets, TOO_CROWDED);
                // A pair of writes is compared once.
                if (strip.writes && at->entry > number) continue;
                Strip other = strip_of(get(sets->entries + (u64)at->entry * ENTRY_BYTES), sets->rows);
                bool same_block = other.warp / checked.warps_per_block == block;
                if (same_block && (strip.time != other.time || strip.time == NO_TIME)) continue;
                Meeting meeting;
                if (!strips_meet(strip, other, meeting)) continue;
                u32 of = strip.warp == other.warp ? IN_A_WARP : same_block ? IN_A_BLOCK : BETWEEN_BLOCKS;
                tell(checked.reports, checked.launch, checked.options, strip, other, meeting, of);
                if (++told >= MOST_TOLD) return;
            }
        });
    });
}
