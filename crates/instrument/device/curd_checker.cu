// CURD's lazy scheme: kernels of their own that compare blocks when a kernel has ended.
//
// The thesis compares each block with every other one, which half a million blocks would not end. Here accesses meet in lines of 128
// bytes. The first kernel marks the words of lines that are written. Where two entries write a word, or the second kernel finds
// a read of one, the line is a meeting place, and most launches have none. If there are some, the third kernel enters the writes
// to those lines into lists, and the fourth compares all that access them. So every pair that has a byte in common is
// compared.
#include "curd_lines.h"

constexpr u32 WARP_MASK = ~0u;

// A bit for each place of the kernel, of which each has an entry for every warp.
static __device__ __forceinline__ bool bit_of(u32 place, u64 first, u64 second, u64 third, u64 fourth) {
    return (place & 128 ? place & 64 ? fourth : third : place & 64 ? second : first) >> place % 64 & 1;
}

// Whether a place is of stores.
static __device__ __forceinline__ bool is_written(const Checked &checked, u32 place) {
    return bit_of(place, checked.written_0, checked.written_1, checked.written_2, checked.written_3);
}

// A place that is seldom used has entries only if somebody said so.
static __device__ __forceinline__ bool is_used(const Checked &checked, u32 place) {
    return !bit_of(place, checked.seldom_0, checked.seldom_1, checked.seldom_2, checked.seldom_3) ||
           ((const Sets *)checked.sets)->used_places[place / 32] >> place % 32 & 1;
}

// Does something with every entry of the launch, each by one thread: with those of written places, of others, or of both.
template <typename Do>
static __device__ __forceinline__ void for_each_entry(const Checked &checked, bool of_written, bool of_others, Do &&action) {
    const Sets *sets = (const Sets *)checked.sets;
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (u32 place = 0; place < checked.places; place++) {
        if (!(is_written(checked, place) ? of_written : of_others) || !is_used(checked, place)) continue;
        u64 first = (u64)place * checked.warps;
        for (u64 index = first + thread; index < first + checked.warps && index < sets->direct_entries; index += threads) {
            Entry entry = get(sets->entries + index * ENTRY_BYTES);
            if ((entry.shape & TAG) == checked.set_tag) action((u32)index, entry);
        }
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

// The words of a line that are written, below whether it is a meeting place, below the launch.
static __device__ __forceinline__ u64 *mark_of(const Sets *sets, u64 line) { return (u64 *)sets->buckets + bucket_of(sets, line); }
constexpr u64 MEETING_PLACE = 1ull << 32;
static __device__ __forceinline__ u64 launch_of(u64 mark) { return mark >> 33; }
static __device__ __forceinline__ u64 launch_of(const Checked &checked) { return checked.launch + 1 & 0x7FFFFFFF; }

static __device__ __forceinline__ bool is_meeting_place(const Sets *sets, const Checked &checked, u64 line) {
    u64 mark = *mark_of(sets, line);
    return launch_of(mark) == launch_of(checked) && mark & MEETING_PLACE;
}

static __device__ __forceinline__ void say_that_some_meet(Sets *sets, bool some_meet) {
    if (__any_sync(WARP_MASK, some_meet) && own_lane() == 0) *(volatile u32 *)&sets->some_meet = 1;
}

// Marks words of a line as written. Whether it is a meeting place by that.
static __device__ __forceinline__ bool mark_line(u64 *mark, u64 launch, u32 words, bool is_meeting_place) {
    u64 wanted = is_meeting_place ? MEETING_PLACE | words : words, before = *(volatile u64 *)mark;
    if (launch_of(before) != launch) {
        u64 found = atomicCAS(mark, before, launch << 33 | wanted);
        if (found == before) return is_meeting_place;
    }
    before = atomicOr(mark, wanted);
    if (!(before & words)) return is_meeting_place;
    if (!(before & MEETING_PLACE)) atomicOr(mark, MEETING_PLACE);
    return true;
}

// The first kernel: what was written.
extern "C" __global__ void __launch_bounds__(256, 4) ws_curd_mark(Checked checked) {
    Sets *sets = (Sets *)checked.sets;
    u64 start = ~0ull, end = 0, launch = launch_of(checked);
    bool some_meet = false;
    for_each_entry(checked, true, false, [&](u32, const Entry &entry) {
        if (!(entry.who >> FLAG_SHIFT & WRITES)) return;
        Strip strip = strip_of(entry, sets->rows);
        u64 low, high;
        bounds(strip, low, high);
        if (low < start) start = low;
        if (high > end) end = high;
        bool lanes_meet = !has_lanes_apart(strip);
        for_each_line(strip, [&](u64 line, u32 words) {
            if (mark_line(mark_of(sets, line), launch, words, lanes_meet)) some_meet = true;
        });
    });
    for (u32 distance = 16; distance; distance /= 2) {
        u64 other = __shfl_xor_sync(WARP_MASK, start, distance);
        if (other < start) start = other;
        other = __shfl_xor_sync(WARP_MASK, end, distance);
        if (other > end) end = other;
    }
    say_that_some_meet(sets, some_meet);
    if (end && own_lane() == 0) {
        atomicMax(&sets->write_end, end);
        atomicMax(&sets->write_start, ~start);
    }
}

// The bounds of scattered lanes.
static __device__ __forceinline__ void bounds_of_row(const Strip &strip, u64 &low, u64 &high) {
    s32 least = 0, most = 0;
    for (u32 lane = 0; lane < 32; lane += 4) {
        int4 four = ((const int4 *)strip.row)[lane / 4];
        s32 apart[4] = {four.x, four.y, four.z, four.w};
        for (u32 next = 0; next < 4; next++) {
            s32 distance = strip.mask >> (lane + next) & 1 ? apart[next] : 0;
            if (distance < least) least = distance;
            if (distance > most) most = distance;
        }
    }
    low = strip.start + (s64)least;
    high = strip.start + (s64)most + strip.size;
}

// Does something with the lines of a strip that lie where something was written at all.
template <typename Do>
static __device__ __forceinline__ void for_each_line_between(const Strip &strip, u64 start, u64 end, Do &&action) {
    u64 low, high;
    bounds(strip, low, high);
    if (strip.row && strip.run_count == 1) bounds_of_row(strip, low, high);
    if (low >= end || high <= start) return;
    for_each_line(strip, [&](u64 line, u32 words) {
        if (line >= start >> LINE_BITS && line <= (end - 1) >> LINE_BITS) action(line, words);
    });
}

// Whether the lanes of a strip write each what it reads, and nothing that another of them reads.
static __device__ __forceinline__ bool writes_the_same(const Sets *sets, const Checked &checked, const Strip &strip) {
    if (strip.row || !has_lanes_apart(strip)) return false;
    for (u32 place = 0; place < checked.places; place++) {
        u64 index = (u64)place * checked.warps + strip.warp;
        if (!is_written(checked, place) || !is_used(checked, place) || index >= sets->direct_entries) continue;
        Entry entry = get(sets->entries + index * ENTRY_BYTES);
        if ((entry.shape & TAG) != checked.set_tag || entry.who >> FLAG_SHIFT & SCATTERED) continue;
        Strip other = strip_of(entry, 0);
        if (are_same_regions(strip, other) && strip.mask == other.mask && strip.run_count == other.run_count) return true;
    }
    return false;
}

// The second kernel: who reads that.
extern "C" __global__ void __launch_bounds__(256, 4) ws_curd_find(Checked checked) {
    Sets *sets = (Sets *)checked.sets;
    u64 start = ~sets->write_start, end = sets->write_end, launch = launch_of(checked);
    if (end == 0) return;
    bool some_meet = false;
    for_each_entry(checked, false, true, [&](u32, const Entry &entry) {
        if (entry.who >> FLAG_SHIFT & WRITES) return;
        Strip strip = strip_of(entry, sets->rows);
        bool is_looked_up = false, is_own = false;
        for_each_line_between(strip, start, end, [&](u64 line, u32 words) {
            u64 *place = mark_of(sets, line), mark = *place;
            if (launch_of(mark) != launch || !(mark & words)) return;
            if (!(mark & MEETING_PLACE)) {
                // One entry writes these words, and most often it is that of the threads that read them.
                if (!is_looked_up) is_own = writes_the_same(sets, checked, strip);
                is_looked_up = true;
                if (is_own) return;
                atomicOr(place, MEETING_PLACE);
            }
            some_meet = true;
        });
    });
    say_that_some_meet(sets, some_meet);
}

// The third kernel: who writes to meeting places.
extern "C" __global__ void __launch_bounds__(256, 4) ws_curd_enter(Checked checked) {
    Sets *sets = (Sets *)checked.sets;
    if (!sets->some_meet) return;
    for_each_entry(checked, true, false, [&](u32 number, const Entry &entry) {
        if (!(entry.who >> FLAG_SHIFT & WRITES)) return;
        Nodes nodes = {sets, number, number, 1};
        for_each_line(strip_of(entry, sets->rows), [&](u64 line, u32 words) {
            if (!is_meeting_place(sets, checked, line)) return;
            u32 node = nodes.take();
            if (node == ~0u) return;
            u64 before = atomicExch(list_of(sets, line), head_of(checked.launch, node));
            nodes.put(node, next_of(checked.launch, before), line, words);
        });
    });
}

// The fourth kernel: who accesses those, too.
extern "C" __global__ void __launch_bounds__(256, 4) ws_curd_look_up(Checked checked) {
    Sets *sets = (Sets *)checked.sets;
    u64 start = ~sets->write_start, end = sets->write_end;
    if (!sets->some_meet) return;
    Compared compared = {checked.reports, checked.launch, checked.options, checked.warps_per_block};
    for_each_entry(checked, true, true, [&](u32 number, const Entry &entry) {
        Strip strip = strip_of(entry, sets->rows);
        Told told;
        for_each_line_between(strip, start, end, [&](u64 line, u32 words) {
            if (!is_meeting_place(sets, checked, line)) return;
            u32 node = next_of(checked.launch, *list_of(sets, line));
            for_each_writer(sets, node, line, words, [&](u32 writer) {
                // A pair of writes is compared once, and a write with itself where its lanes may meet.
                if (strip.writes && (writer > number || (writer == number && has_lanes_apart(strip)))) return;
                compare(sets, compared, strip, writer, told);
            });
        });
    });
}
