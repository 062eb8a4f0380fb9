// LD's kernels around a pass: they go over all addresses of what a kernel may write, each thread over its own, so that no atomics are
// needed until something is found (section 4.3). Detection of writes, the check for conflicts, the union and the state of the second
// pass are one sweep. S is the program's memory itself: the union takes its place, and what it was before is kept apart.
#include "ld.h"

// Copies that are looked at together.
constexpr u32 BATCH = 8;

struct Granule {
    u64 address;
    // Where it lies in every copy.
    u64 offset;
    // Its bytes that are the target's.
    u32 valid[4];
    bool only_set_back;
    // Where a target is small, several threads share a granule's copies: each has every so many-th, from one on.
    u32 first_copy, apart;
};

// Who has a granule: one thread, or where there are more threads than granules as many as there are, or the lanes of a warp.
enum Sharing { ALONE, BY_THREADS, BY_WARPS };

static __device__ __forceinline__ u32 valid_word(u64 word, u64 first, u64 end) {
    u32 mask = 0;
    for (u32 byte = 0; byte < 4; byte++)
        if (word + byte >= first && word + byte < end) mask |= 0xFFu << 8 * byte;
    return mask;
}

// Does something with every granule of every target; neighbours have neighbours.
template <Sharing SHARING, typename Do>
static __device__ __forceinline__ void for_each_granule(const Sweep &sweep, Do &&action) {
    const Head *head = (const Head *)sweep.head;
    u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x, threads = (u64)gridDim.x * blockDim.x;
    for (u32 number = 0; number < head->target_count; number++) {
        Target target = head->targets[number];
        u64 end = target.address + target.bytes, first = target.address / GRANULE_BYTES * GRANULE_BYTES;
        u64 granules = (end - first + GRANULE_BYTES - 1) / GRANULE_BYTES, sharers = 1;
        if (SHARING == BY_THREADS && granules < threads) {
            sharers = threads / granules;
            if (sharers > sweep.grouping.copies) sharers = sweep.grouping.copies ? sweep.grouping.copies : 1;
        }
        if (SHARING == BY_WARPS && granules <= threads / 32) sharers = 32;
        for (u64 index = thread; index < granules * sharers; index += threads) {
            Granule granule;
            granule.first_copy = (u32)(SHARING == BY_WARPS ? index % sharers : index / granules);
            granule.apart = (u32)sharers;
            u64 at = first + (SHARING == BY_WARPS ? index / sharers : index % granules) * GRANULE_BYTES;
            granule.address = at;
            granule.offset = target.start + (at - target.address);
            granule.only_set_back = target.only_set_back != 0;
            bool whole = at >= target.address && at + GRANULE_BYTES <= end;
#pragma unroll
            for (u32 word = 0; word < 4; word++) granule.valid[word] = whole ? ~0u : valid_word(at + 4 * word, target.address, end);
            action(granule);
        }
    }
}

static __device__ __forceinline__ uint4 get(u64 address) { return *(const uint4 *)address; }
static __device__ __forceinline__ void put(u64 address, uint4 value) { *(uint4 *)address = value; }
static __device__ __forceinline__ u64 copy_at(const Sweep &sweep, u32 copy, u64 offset) { return sweep.copies + copy * sweep.stride + offset; }
static __device__ __forceinline__ bool is_same(uint4 one, uint4 other) {
    return ((one.x ^ other.x) | (one.y ^ other.y) | (one.z ^ other.z) | (one.w ^ other.w)) == 0;
}
// Loops over words are unrolled, so that this is a register.
static __device__ __forceinline__ u32 word_of(uint4 value, u32 word) { return word == 0 ? value.x : word == 1 ? value.y : word == 2 ? value.z : value.w; }
static __device__ __forceinline__ uint4 as_granule(const u32 (&words)[4]) { return {words[0], words[1], words[2], words[3]}; }

// Writes the target's bytes of a granule, and no others.
static __device__ __forceinline__ void put_valid(const Granule &granule, u64 address, uint4 value) {
    if ((granule.valid[0] & granule.valid[1] & granule.valid[2] & granule.valid[3]) == ~0u) return put(address, value);
#pragma unroll
    for (u32 word = 0; word < 4; word++)
        for (u32 byte = 0; byte < 4; byte++)
            if (granule.valid[word] >> byte * 8 & 1) *(u8 *)(address + 4 * word + byte) = (u8)(word_of(value, word) >> byte * 8);
}

static __device__ __forceinline__ void found(const Sweep &sweep, u32 which, u64 address, u32 copy) {
    const Grouping &grouping = sweep.grouping;
    ws_ld_found(sweep.head, which, address << COPY_BITS | copy, grouping.power, grouping.copies, grouping.count, grouping.units, sweep.flags);
}

static __device__ __forceinline__ bool is_over(const Sweep &sweep) {
    return !(sweep.flags & (ALWAYS | GOES_ON)) && is_stopped((const Head *)sweep.head);
}

// Before a first pass: the state that the launch began with, for everybody.
extern "C" __global__ void __launch_bounds__(256) ws_ld_begin(Sweep sweep) {
    if (is_over(sweep)) return;
    for_each_granule<BY_THREADS>(sweep, [&](const Granule &granule) {
        u64 original = sweep.originals + granule.offset;
        uint4 state;
        if (sweep.flags & FIRST) {
            state = get(granule.address);
            if (granule.first_copy == 0) put(original, state);
        } else {
            state = get(original);
            if (granule.first_copy == 0 && !(sweep.flags & COPIES_ONLY)) put_valid(granule, granule.address, state);
        }
        if (granule.only_set_back) return;
        for (u32 copy = granule.first_copy; copy < sweep.grouping.copies; copy += granule.apart) put(copy_at(sweep, copy, granule.offset), state);
    });
}

// Bytes that several copies changed: all of these raced.
static __device__ __forceinline__ void clashed(const Sweep &sweep, const Granule &granule, uint4 state) {
#pragma unroll
    for (u32 word = 0; word < 4; word++) {
        for (u32 byte = 0; byte < 4; byte++) {
            u32 of_byte = 0xFFu << byte * 8 & granule.valid[word], changes = 0, first = 0;
            for (u32 copy = 0; copy < sweep.grouping.copies; copy++) {
                u32 value = *(const u32 *)(copy_at(sweep, copy, granule.offset) + 4 * word);
                if (!((value ^ word_of(state, word)) & of_byte)) continue;
                if (changes == 0) first = copy;
                if (changes == 1) involve((Head *)sweep.head, first);
                if (changes++) found(sweep, WRITE_WRITE, granule.address + 4 * word + byte, copy);
            }
        }
    }
}

// What copies changed of a granule, and what of that several did.
struct Changes {
    u32 all[4], written[4], twice;

    __device__ __forceinline__ void take(uint4 own, uint4 state, const Granule &granule) {
#pragma unroll
        for (u32 word = 0; word < 4; word++) add(word, word_of(own, word), differing(word_of(own, word), word_of(state, word)) & granule.valid[word]);
    }

    __device__ __forceinline__ void add(u32 word, u32 value, u32 changed) {
        twice |= changed & written[word];
        all[word] = blended(all[word], value, changed);
        written[word] |= changed;
    }

    // Every lane gets what all lanes of its warp have.
    __device__ __forceinline__ void join_lanes() {
        for (u32 distance = 16; distance; distance /= 2) {
#pragma unroll
            for (u32 word = 0; word < 4; word++) add(word, __shfl_xor_sync(~0u, all[word], distance), __shfl_xor_sync(~0u, written[word], distance));
        }
        twice = __reduce_or_sync(~0u, twice);
    }

    __device__ __forceinline__ bool is_empty() const { return !(written[0] | written[1] | written[2] | written[3]); }
};

// Between the passes.
extern "C" __global__ void __launch_bounds__(256) ws_ld_union(Sweep sweep) {
    // Lanes of a warp stay together.
    if (__any_sync(~0u, is_over(sweep))) return;
    for_each_granule<BY_WARPS>(sweep, [&](const Granule &granule) {
        bool is_first = granule.first_copy == 0;
        if (granule.only_set_back) {
            if (is_first) put_valid(granule, granule.address, get(sweep.originals + granule.offset));
            return;
        }
        uint4 state = get(granule.address);
        Changes changes = {{state.x, state.y, state.z, state.w}, {0, 0, 0, 0}, 0};
        // Several loads are on their way at a time.
        for (u32 copy = granule.first_copy; copy < sweep.grouping.copies; copy += BATCH * granule.apart) {
            uint4 own[BATCH];
            bool is_unchanged = true;
#pragma unroll
            for (u32 next = 0; next < BATCH; next++) {
                u32 number = copy + next * granule.apart;
                own[next] = number < sweep.grouping.copies ? get(copy_at(sweep, number, granule.offset)) : state;
                is_unchanged &= is_same(own[next], state);
            }
            if (is_unchanged) continue;
#pragma unroll
            for (u32 next = 0; next < BATCH; next++) changes.take(own[next], state, granule);
        }
        if (granule.apart > 1) changes.join_lanes();
        if (changes.is_empty()) return;
        if (changes.twice && is_first) clashed(sweep, granule, state);
        // Lanes of a warp put their copies when the first has looked at them, and the program's memory when all have.
        if (granule.apart > 1) __syncwarp();
        // Everybody sees what others changed, and not what it changed itself.
        for (u32 copy = granule.first_copy; copy < sweep.grouping.copies; copy += granule.apart) {
            u64 place = copy_at(sweep, copy, granule.offset);
            uint4 own = get(place);
            u32 second[4];
#pragma unroll
            for (u32 word = 0; word < 4; word++) {
                u32 changed = differing(word_of(own, word), word_of(state, word)) & granule.valid[word];
                second[word] = blended(changes.all[word], word_of(state, word), changed);
            }
            if (!is_same(own, as_granule(second))) put(place, as_granule(second));
        }
        if (is_first) put_valid(granule, granule.address, as_granule(changes.all));
    });
}

// After the second pass: what differs from the union differs because of others.
extern "C" __global__ void __launch_bounds__(256) ws_ld_compare(Sweep sweep) {
    Head *head = (Head *)sweep.head;
    // A byte that two changed is in the union once, which is no race of its own.
    bool has_clashed = *(volatile u64 *)&head->keys[WRITE_WRITE] != NOTHING;
    if (is_over(sweep) || has_clashed) return;
    for_each_granule<BY_THREADS>(sweep, [&](const Granule &granule) {
        if (granule.only_set_back) return;
        uint4 all = get(granule.address);
        for (u32 copy = granule.first_copy; copy < sweep.grouping.copies; copy += granule.apart) {
            uint4 own = get(copy_at(sweep, copy, granule.offset));
            if (is_same(own, all)) continue;
#pragma unroll
            for (u32 word = 0; word < 4; word++) {
                u32 changed = differing(word_of(own, word), word_of(all, word)) & granule.valid[word];
                for (u32 byte = 0; byte < 4; byte++)
                    if (changed >> byte * 8 & 1) found(sweep, READ_WRITE, granule.address + 4 * word + byte, copy);
            }
        }
    });
}

// Safe execution, or the only block of a grid: what copies changed, in their order; the last one stays.
extern "C" __global__ void __launch_bounds__(256) ws_ld_merge(Sweep sweep) {
    if (is_over(sweep)) return;
    for_each_granule<ALONE>(sweep, [&](const Granule &granule) {
        if (granule.only_set_back) return;
        uint4 state = get(granule.address);
        u32 all[4] = {state.x, state.y, state.z, state.w};
        for (u32 copy = 0; copy < sweep.grouping.copies; copy += sweep.step) {
            uint4 own = get(copy_at(sweep, copy, granule.offset));
            if (is_same(own, state)) continue;
#pragma unroll
            for (u32 word = 0; word < 4; word++) {
                u32 changed = differing(word_of(own, word), word_of(state, word)) & granule.valid[word];
                all[word] = blended(all[word], word_of(own, word), changed);
            }
        }
        if (!is_same(as_granule(all), state)) put_valid(granule, granule.address, as_granule(all));
    });
}

static __device__ __forceinline__ bool has_found(const Head *head) { return first_key(head) != KEYS; }

// Before a run that is logged, if there is something to log: the state that the launch began with, and nobody who has stored. The
// first copies have room for who stored to each word.
extern "C" __global__ void __launch_bounds__(256) ws_ld_set_back(Sweep sweep) {
    Head *head = (Head *)sweep.head;
    if (!has_found(head)) return;
    for_each_granule<ALONE>(sweep, [&](const Granule &granule) {
        put_valid(granule, granule.address, get(sweep.originals + granule.offset));
        if (granule.only_set_back || !(sweep.flags & FIRST)) return;
        uint4 nobody = {0, 0, 0, 0};
        put(sweep.copies + granule.offset * 2, nobody);
        put(sweep.copies + granule.offset * 2 + GRANULE_BYTES, nobody);
    });
    if (!(sweep.flags & FIRST)) return;
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (u32 word = thread; word < SHADOW_WORDS; word += threads) ((u64 *)head->shadow)[word] = 0;
}

static __device__ __forceinline__ u64 as_accessor(u64 side) {
    // The thread counts all lanes of a block's warps.
    u64 thread = side >> 16;
    return thread >> 5 << WARP_PLACE | (thread & 31) << LANE_PLACE;
}

// One thread tells the host.
extern "C" __global__ void ws_ld_report(Sweep sweep) {
    Head *head = (Head *)sweep.head;
    if (threadIdx.x || blockIdx.x || !has_found(head)) return;
    u32 which = first_key(head);
    u64 key = head->keys[which];
    bool in_region = is_of_region(which);
    Report race = {};
    race.rule = which % 2 + 1;
    race.address = key >> COPY_BITS;
    bool has_other = head->sides[0] != NOTHING, has_own = head->sides[1] != NOTHING;
    u64 other = has_other ? head->sides[0] : 0, own = has_own ? head->sides[1] : 0;
    u32 involved = 0;
    for (u32 word = 0; word < INVOLVED_WORDS; word++) involved += __popc(head->involved[word]);
    if (in_region) {
        u32 word = (u32)(key >> WARP_BITS) & REGISTERS;
        bool in_shared = !(key >> (WORD_BITS + WARP_BITS) & 1);
        race.rule |= WARPS_RACED | (in_shared ? RACED_IN_SHARED : 0) | (word == REGISTERS ? RACED_IN_REGISTERS : 0);
        race.address = head->logged_address;
        if (!race.address && in_shared && word != REGISTERS) race.address = (u64)word * 4;
    } else {
        u64 block_threads = (u64)sweep.warps_per_block * 32 << 16;
        race.rule |= other / block_threads == own / block_threads ? WARPS_RACED : BLOCKS_RACED;
        if (which % 2 == READ_WRITE && head->logged_address) race.address = head->logged_address;
    }
    if (!has_other || !has_own) race.rule |= RACED_UNSEEN;
    race.previous = as_accessor(other);
    race.accessor = as_accessor(own);
    race.previous_site = (u32)other & 0xFFFF;
    race.site = (u32)own & 0xFFFF;
    race.mask = involved;
    race.more = (u64)(head->bytes[which % 2]) | (u64)(head->region[0] & 0xFFFF) << 32 | (u64)(head->region[1] & 0xFFFF) << 48;
    race.launch = sweep.launch;
    race.variant = sweep.variant;
    ws_report((Reports *)sweep.reports, race);
}
