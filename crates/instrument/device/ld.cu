// LD in a kernel: which copy a thread has, the end of a region, and what is logged once there was a race.
#include "ld.h"

#define WS_OUTPUT_64(name)                                                                         \
    static __device__ __forceinline__ void out_##name(u64 value) { asm volatile("ws.out.b64 " #name ", %0;" ::"l"(value) : "memory"); }
#define WS_OUTPUT_32(name)                                                                         \
    static __device__ __forceinline__ void out_##name(u32 value) { asm volatile("ws.out.b32 " #name ", %0;" ::"r"(value) : "memory"); }
WS_OUTPUT_32(leaves)
WS_OUTPUT_64(copy)
WS_INPUT_64(copy)
WS_OUTPUT_64(to_any)
WS_OUTPUT_32(shared_copy)
WS_OUTPUT_32(decision)
WS_OUTPUT_32(role)
// Whether a thread is at the end of the kernel, and which pass it is in.
WS_INPUT_32(at_end)
WS_INPUT_32(pass)
// The regions of the block so far.
WS_INPUT_32(region)
// The values of registers at the end of the region, in the first pass and now.
WS_INPUT_32(sum)
WS_INPUT_32(new_sum)
// The words of the block's copy that were stored to.
WS_INPUT_32(low)
WS_INPUT_32(high)
// What is merged, instead of being compared.
WS_INPUT_32(merges)
WS_INPUT_32(role)
// What the thread stored where there are no copies.
WS_INPUT_32(stored)
WS_INPUT_32(size)
WS_INPUT_32(flags)

static __device__ __forceinline__ Grouping own_grouping() {
    Grouping grouping = {};
    grouping.power = context_copy_power();
    grouping.copies = context_copy_count();
    grouping.count = context_unit_count();
    grouping.units = context_units();
    return grouping;
}

static __device__ __forceinline__ u32 warps_of_block() { return (threads_of_block() + 31) / 32; }

// A thread begins: its copy, unless there is nothing to check any more.
extern "C" __device__ void ws_ld_enter() {
    const Head *head = (const Head *)context_copies();
    out_leaves(is_stopped(head));
    Grouping grouping = own_grouping();
    u32 unit = unit_of(grouping.units, own_block(), own_thread() / 32, warps_of_block());
    out_copy((u64)copy_of(grouping, unit) * context_copy_stride());
}

// What leads from an address to the thread's copy, by where it lies; nothing where there are no copies.
extern "C" __device__ void ws_ld_find() {
    const Head *head = (const Head *)context_copies();
    u64 address = in_address(), leads = 0;
    for (u32 number = 0; number < head->target_count; number++) {
        const Target &target = head->targets[number];
        if (address - target.address < target.bytes && !target.only_set_back) leads = context_copy_start() + in_copy() + target.start - target.address;
    }
    out_to_any(leads);
}

// A thread ends a pass: what it stored where there are no copies is what it stored there before.
extern "C" __device__ void ws_ld_leave() {
    Head *head = (Head *)context_copies();
    u32 options = context_options();
    if (!(options & (FIRST_PASS | SECOND_PASS)) || !head->sums) return;
    u32 *sum = (u32 *)head->sums + ((u64)own_block() * warps_of_block() * 32 + own_thread());
    if (options & FIRST_PASS) {
        *sum = in_stored();
    } else if (*sum != in_stored()) {
        Grouping grouping = own_grouping();
        u32 unit = unit_of(grouping.units, own_block(), own_thread() / 32, warps_of_block());
        ws_ld_found((u64)head, READ_WRITE, copy_of(grouping, unit), grouping.power, grouping.copies, grouping.count, grouping.units, 0);
    }
}

// What the threads of a block agree on where a region ends. It lies behind the copies of shared memory.
struct Meeting {
    u32 low, high;
};

static __device__ __forceinline__ u32 *shared_at(u32 address) { return (u32 *)__cvta_shared_to_generic(address); }
static __device__ __forceinline__ void meet() { asm volatile("barrier.cta.sync 0;" ::: "memory"); }
static __device__ __forceinline__ bool all_of(bool condition) {
    u32 all;
    asm volatile("{ .reg .pred %%p, %%q; setp.ne.u32 %%p, %1, 0; barrier.cta.red.and.pred %%q, 0, %%p; selp.u32 %0, 1, 0, %%q; }" : "=r"(all) : "r"((u32)condition) : "memory");
    return all != 0;
}

// Everything that a meeting needs to know.
struct Around {
    Head *head;
    // The block's state of global memory; the copies of its warps lie behind it.
    u64 state;
    u64 stride;
    u32 shared_start, shared_stride;
    u32 warps, threads, thread, block;
};

static __device__ __noinline__ void found_in_region(Head *head, u32 which, u64 key, u32 bytes) {
    remember(head, REGION_WRITE_WRITE + which, key);
    atomicAdd(&head->bytes[which], bytes);
    u32 warp = (u32)key & ((1u << WARP_BITS) - 1);
    atomicOr(&head->involved[0], 1u << warp);
    *(volatile u32 *)&head->stopped = 1;
}

// A word of all warps' copies, and of the block's state.
struct RegionWord {
    u32 *own;
    u32 stride_words, warps, before;
    // Of a finding by the first warp.
    u64 key;

    __device__ __forceinline__ u32 *of(u32 warp) const { return &own[(u64)warp * stride_words]; }
};

// Copies whose loads are on their way at a time.
constexpr u32 BATCH = 8;

// What some warps have in a word: whether any of it is not what was there before.
static __device__ __forceinline__ bool load(const RegionWord &word, u32 first, u32 (&values)[BATCH]) {
    u32 unlike = 0;
#pragma unroll
    for (u32 next = 0; next < BATCH; next++) {
        values[next] = first + next < word.warps ? *word.of(first + next) : word.before;
        unlike |= values[next] ^ word.before;
    }
    return unlike != 0;
}

// Several warps changed a byte. Functions that are not inlined get no places of structs: checks have no stack.
static __device__ __noinline__ void clashed_in_region(Head *head, u32 *own, u32 stride_words, u32 warps, u32 before, u64 key) {
    u32 written = 0;
    for (u32 warp = 0; warp < warps; warp++) {
        u32 changed = differing(own[(u64)warp * stride_words], before);
        if (changed & written) found_in_region(head, WRITE_WRITE, key | warp, __popc(changed & written) / 8);
        written |= changed;
    }
}

// A second pass left something else.
static __device__ __noinline__ void differed_in_region(Head *head, u32 *own, u32 stride_words, u32 warps, u32 before, u64 key) {
    for (u32 warp = 0; warp < warps; warp++) {
        u32 *place = &own[(u64)warp * stride_words];
        if (*place == before) continue;
        found_in_region(head, READ_WRITE, key | warp, __popc(differing(*place, before)) / 8);
        *place = before;
    }
}

// The first pass ends with the union, and the state of the second. Where regions are merged, there is one pass, and the last warp stays.
static __device__ __forceinline__ void unite(Head *head, const RegionWord &word, u32 *state, bool merges) {
    u32 all = word.before, written = 0, twice = 0, values[BATCH];
    for (u32 first = 0; first < word.warps; first += BATCH) {
        if (!load(word, first, values)) continue;
#pragma unroll
        for (u32 next = 0; next < BATCH; next++) {
            u32 changed = differing(values[next], word.before);
            all = blended(all, values[next], changed);
            twice |= changed & written;
            written |= changed;
        }
    }
    if (!written) return;
    if (twice && !merges) clashed_in_region(head, word.own, word.stride_words, word.warps, word.before, word.key);
    for (u32 first = 0; first < word.warps; first += BATCH) {
        load(word, first, values);
#pragma unroll
        for (u32 next = 0; next < BATCH; next++)
            if (first + next < word.warps) *word.of(first + next) = blended(all, word.before, merges ? 0 : differing(values[next], word.before));
    }
    *state = all;
}

// The threads of a block go over words, each over its own.
static __device__ __forceinline__ void sweep(const Around &around, u32 *state, u32 stride_words, u64 from, u64 to, u32 pass, bool merges, u32 region, bool in_global) {
    for (u64 at = from + around.thread; at < to; at += around.threads) {
        RegionWord word = {state + stride_words + at, stride_words, around.warps, state[at], region_key(around.block, region, in_global, (u32)at, 0)};
        if (pass == 0) {
            unite(around.head, word, &state[at], merges);
            continue;
        }
        bool is_unlike = false;
        u32 values[BATCH];
        for (u32 first = 0; first < word.warps; first += BATCH) is_unlike |= load(word, first, values);
        if (is_unlike) differed_in_region(around.head, word.own, word.stride_words, word.warps, word.before, word.key);
    }
}

// The end of a region: 0 for once more, 1 for the next region, 2 for the end of the kernel.
extern "C" __device__ __noinline__ u32 ws_ld_meet(u64 head, u64 state, u64 stride, u32 shared_start, u32 shared_stride, u32 how, u32 low, u32 high, u32 region) {
    bool at_end = how & 1, merges = how & 4;
    u32 pass = how >> 1 & 1;
    Around around = {(Head *)head, state, stride, shared_start, shared_stride, warps_of_block(), threads_of_block(), own_thread(), own_block()};
    Meeting *meeting = (Meeting *)shared_at(shared_start + shared_stride * (around.warps + 1));
    if (low < high) {
        atomicMin(&meeting->low, low);
        atomicMax(&meeting->high, high);
    }
    bool all_at_end = all_of(at_end);
    low = *(volatile u32 *)&meeting->low;
    high = *(volatile u32 *)&meeting->high;
    sweep(around, shared_at(shared_start), shared_stride / 4, 0, shared_stride / 4, pass, merges, region, false);
    if (low < high) sweep(around, (u32 *)state, (u32)(stride / 4), low, high, pass, merges, region, true);
    meet();
    bool goes_on = merges || pass == 1;
    if (low < high && goes_on) {
        // Everybody has read it.
        if (around.thread == 0) {
            meeting->low = ~0u;
            meeting->high = 0;
        }
        meet();
    }
    return !goes_on ? 0 : all_at_end ? 2 : 1;
}

// The kernel begins: all warps have the same shared memory, and blocks have global memory of their own.
extern "C" __device__ void ws_ld_enter_regions() {
    const Head *head = (const Head *)context_copies();
    out_leaves(is_stopped(head));
    u32 warps = warps_of_block(), thread = own_thread(), start = context_shared_start(), stride = context_shared_stride();
    u64 first = (u64)own_block() * (warps + 1);
    out_copy((first + 1 + thread / 32) * context_copy_stride());
    out_shared_copy((1 + thread / 32) * stride);
    u32 *state = shared_at(start);
    for (u32 word = thread; word < stride / 4; word += threads_of_block())
        for (u32 warp = 0; warp < warps; warp++) state[(warp + 1) * (stride / 4) + word] = state[word];
    if (thread == 0) {
        Meeting *meeting = (Meeting *)shared_at(start + stride * (warps + 1));
        meeting->low = ~0u;
        meeting->high = 0;
    }
    meet();
}

// A barrier, or the end of the kernel.
extern "C" __device__ void ws_ld_end_region() {
    Head *head = (Head *)context_copies();
    u32 warps = warps_of_block();
    if (in_pass() == 1 && in_sum() != in_new_sum())
        found_in_region(head, READ_WRITE, region_key(own_block(), in_region(), false, REGISTERS, own_thread() / 32), 0);
    u64 state = context_copy_start() + (u64)own_block() * (warps + 1) * context_copy_stride();
    u32 how = in_at_end() | in_pass() << 1 | in_merges() << 2;
    out_decision(ws_ld_meet((u64)head, state, context_copy_stride(), context_shared_start(), context_shared_stride(), how, in_low(), in_high(), in_region()));
}

// What a thread has to log, if anything.
constexpr u32 IS_OWN = 1, IS_OTHER = 2, IN_REGION = 4, LOGS_READS = 8;

// A run that is logged begins: who found the race, and who are the others.
extern "C" __device__ void ws_ld_enter_log() {
    Head *head = (Head *)context_copies();
    u32 which = first_key(head), role = 0;
    out_leaves(which == KEYS);
    if (which < KEYS) {
        u64 key = head->keys[which];
        u32 warp = own_thread() / 32, block = own_block();
        if (is_of_region(which)) {
            bool is_here = key >> (REGION_BITS + 1 + WORD_BITS + WARP_BITS) == block;
            bool is_own = (key & ((1u << WARP_BITS) - 1)) == warp;
            role = is_here ? (is_own ? IS_OWN : IS_OTHER) | IN_REGION : 0;
        } else {
            Grouping grouping = head->logged;
            u32 unit = unit_of(grouping.units, block, warp, warps_of_block());
            role = copy_of(grouping, unit) == (key & ((1u << COPY_BITS) - 1)) ? IS_OWN : IS_OTHER;
        }
        if (which % 2 == READ_WRITE) role |= LOGS_READS;
    }
    out_role(role);
}

// Who stored to a word: the thread and the instruction as a side of a race, and 1. Users of another copy than the reader's have this bit.
constexpr u64 OF_OTHER_COPY = 1ull << 63;

static __device__ __forceinline__ u64 *shadow_of(Head *head, u64 copies, u64 address, bool in_shared, u32 shared_start) {
    if (in_shared) return address - shared_start < SHADOW_WORDS * 4 ? (u64 *)head->shadow + (address - shared_start) / 4 : nullptr;
    for (u32 number = 0; number < head->target_count; number++) {
        Target target = head->targets[number];
        if (address - target.address >= target.bytes || target.only_set_back) continue;
        u64 offset = target.start + (address - target.address);
        return (u64 *)(copies + offset / 4 * 8);
    }
    return nullptr;
}

extern "C" __device__ __noinline__ void ws_ld_log(u64 place, u64 copies, u64 address, u32 how, u32 role, u32 region, u32 shared_start, u32 site) {
    Head *head = (Head *)place;
    bool writes = how & 1, in_shared = how & 2, checks = how & 4;
    // Blocks do not share it.
    if (in_shared && !(role & IN_REGION)) return;
    u32 bytes = how >> 8, which = first_key(head);
    u64 key = head->keys[which];
    if (role & IN_REGION && (u32)(key >> (1 + WORD_BITS + WARP_BITS) & ((1u << REGION_BITS) - 1)) != region) return;
    u64 thread = (u64)own_block() * warps_of_block() * 32 + own_thread();
    u64 side = thread << 16 | site & 0xFFFF;
    if (!(role & LOGS_READS)) {
        // Both stored to one place, which the key has.
        if (!writes || checks) return;
        u64 raced = role & IN_REGION ? 0 : key >> COPY_BITS, length = 1;
        if (role & IN_REGION) {
            bool is_global = key >> (WORD_BITS + WARP_BITS) & 1;
            if (is_global == in_shared) return;
            u64 word = (key >> WARP_BITS & REGISTERS) * 4;
            length = 4;
            raced = shared_start + word;
            if (is_global) {
                raced = 0;
                for (u32 number = 0; number < head->target_count; number++) {
                    Target target = head->targets[number];
                    if (!target.only_set_back && word - target.start < target.bytes) raced = target.address + (word - target.start);
                }
            }
        }
        if (in_shared != (bool)(role & IN_REGION && !(key >> (WORD_BITS + WARP_BITS) & 1))) return;
        if (address >= raced + length || raced >= address + bytes) return;
        atomicMin(&head->sides[role & IS_OWN ? 1 : 0], side);
        if (role & IN_REGION) head->logged_address = in_shared ? address - shared_start : address;
        return;
    }
    // What the reader has read is what others store to: first it is noted who stores, then looked up by whoever reads. Users of another
    // copy come first; those of the same one may race, too.
    if (!checks) {
        if (!writes || role & IS_OWN && role & IN_REGION) return;
        for (u64 at = address / 4 * 4; at < address + bytes; at += 4)
            if (u64 *entry = shadow_of(head, copies, at, in_shared, shared_start)) atomicMax(entry, side + 1 | (role & IS_OTHER ? OF_OTHER_COPY : 0));
        return;
    }
    if (writes || !(role & IS_OWN)) return;
    for (u64 at = address / 4 * 4; at < address + bytes; at += 4) {
        u64 *entry = shadow_of(head, copies, at, in_shared, shared_start);
        if (!entry || !*entry) continue;
        u64 writer = (*entry & ~OF_OTHER_COPY) - 1;
        u32 threads_of_unit = head->logged.units == BLOCK_UNITS ? warps_of_block() * 32 : 32;
        if (!(role & IN_REGION) && (writer >> 16) / threads_of_unit == thread / threads_of_unit) continue;
        if (atomicMin(&head->sides[1], side) > side) {
            head->sides[0] = writer;
            u64 start = at > address ? at : address;
            head->logged_address = in_shared ? start - shared_start : start;
        }
    }
}

extern "C" __device__ void ws_ld_log_access() {
    u32 how = in_flags() | (context_options() & LOG_CHECKS ? 4 : 0) | in_size() << 8;
    ws_ld_log(context_copies(), context_copy_start(), in_address(), how, in_role(), in_region(), context_shared_start(), in_site());
}

// The barriers around the region that is logged.
extern "C" __device__ void ws_ld_log_barrier() {
    Head *head = (Head *)context_copies();
    if (!(in_role() & IN_REGION)) return;
    u64 key = head->keys[first_key(head)];
    u32 wanted = (u32)(key >> (1 + WORD_BITS + WARP_BITS) & ((1u << REGION_BITS) - 1));
    if (in_region() + 1 == wanted) head->region[0] = in_site() + 1;
    if (in_region() == wanted) head->region[1] = in_site() + 1;
}
