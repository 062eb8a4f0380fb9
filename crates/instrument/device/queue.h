// Records of warp operations, written to queues that the host reads: the contract is `record.rs`.
#pragma once
#include "record_layout.h"

// What a barrier is of, how many threads it waits for, and whether the lane's access wrote.
WS_INPUT_32(barrier)
WS_INPUT_32(expected)
WS_INPUT_32(wrote)

// What the lane stores, where the host gets that: so many words.
WS_INPUT_32(values)
WS_INPUT_64(value_0)
WS_INPUT_64(value_1)
WS_INPUT_64(value_2)
WS_INPUT_64(value_3)

// Where an asynchronous copy reads, how many bytes it writes, and how many it reads.
WS_INPUT_64(source)
WS_INPUT_32(bytes)
WS_INPUT_32(source_bytes)

// The instruction that is recorded, where it has to be done in the middle of that.
static __device__ __forceinline__ void do_operation() { asm volatile("ws.op;" ::: "memory"); }

static __device__ __forceinline__ u32 own_lane() {
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

static __device__ __forceinline__ bool leads(u32 mask) { return own_lane() == __ffs(mask) - 1; }

// Takes slots, and waits until the host has read what was in them. All lanes of the mask get the index of the first.
static __device__ __forceinline__ u64 reserve(const Queue *queue, u32 slots, u32 mask) {
    u64 index = 0;
    if (leads(mask)) {
        Heads *heads = queue->heads;
        index = atomicAdd(&heads->write_head, (u64)slots);
        u64 end = index + slots, capacity = queue->capacity;
        while (end > *(volatile u64 *)&heads->known_read_head + capacity) {
            u64 read = *queue->read_head;
            __threadfence_system();
            atomicMax(&heads->known_read_head, read);
            if (end > read + capacity) __nanosleep(500);
        }
    }
    return __shfl_sync(mask, index, __ffs(mask) - 1);
}

static __device__ __forceinline__ void fill(const Queue *queue, u64 index, const Header &header, u32 mask, u64 word) {
    u64 slot = queue->slots + (index & (queue->capacity - 1)) * SLOT_BYTES;
    *(volatile u64 *)(slot + LANES_OFFSET + own_lane() * 8) = word;
    if (!leads(mask)) return;
    volatile u32 *words = (volatile u32 *)slot;
    words[0] = header.block;
    words[1] = header.warp | (u32)header.kind << 16;
    words[2] = header.site;
    words[3] = header.mask;
    words[4] = header.wrote;
    words[5] = header.extra;
    *(volatile u64 *)(slot + TICKET_OFFSET) = header.ticket;
}

static __device__ __forceinline__ void commit(const Queue *queue, u64 index, u32 slots, u32 mask) {
    __syncwarp(mask);
    if (leads(mask)) {
        __threadfence_system();
        for (u32 slot = 0; slot < slots; slot++)
            queue->ready[(index + slot) & (queue->capacity - 1)] = index + slot + 1;
        atomicAdd(&queue->heads->commit_index, (u64)slots);
    }
    __syncwarp(mask);
}

// The order of a launch whose operations are made one after the other.
struct Order {
    u32 lock;
    u32 unused;
    u64 tickets;
};

// The lanes of the mask go on together, alone on the device; the number of their turn.
static __device__ __forceinline__ u64 enter(Order *order, u32 mask) {
    u64 ticket = 0;
    if (leads(mask)) {
        u32 waited = 32;
        while (atomicCAS(&order->lock, 0u, 1u) != 0) {
            __nanosleep(waited);
            if (waited < 1024) waited *= 2;
        }
        __threadfence();
        ticket = order->tickets + 1;
        *(volatile u64 *)&order->tickets = ticket;
    }
    return __shfl_sync(mask, ticket, __ffs(mask) - 1);
}

static __device__ __forceinline__ void leave(Order *order, u32 mask) {
    __syncwarp(mask);
    if (leads(mask)) {
        __threadfence();
        atomicExch(&order->lock, 0u);
    }
    __syncwarp(mask);
}

// Whom a record is of, as functions get it: where its queues and its order are, the lane itself, its block's first warp, and its instruction. Kernels are linked with
// these functions, so that what stands in a kernel is little more than a call.
#define WS_RECORDER u64 queues, u64 order, u64 self, u32 queue_count, u32 first_warp, u32 warps_per_block, u32 site
struct Recorder {
    u64 queues, order, self;
    u32 queue_count, first_warp, warps_per_block, site;

    __device__ __forceinline__ u32 block() const { return first_warp / warps_per_block; }
    __device__ __forceinline__ u32 warp() const { return ((u32)(self >> 31) & 0xFFFFFF) - first_warp; }
};
#define WS_RECORDER_HERE {queues, order, self, queue_count, first_warp, warps_per_block, site}
#define WS_RECORDER_OF(who) who.queues, who.order, who.self, who.queue_count, who.first_warp, who.warps_per_block, who.site

static __device__ __forceinline__ Recorder recorder() {
    Recorder recorder;
    recorder.queues = context_queues();
    recorder.order = context_order();
    recorder.self = in_self();
    recorder.queue_count = context_queue_count();
    recorder.first_warp = in_first_warp();
    recorder.warps_per_block = in_warps_per_block();
    recorder.site = in_site();
    return recorder;
}

static __device__ __forceinline__ const Queue *queue_of(const Recorder &recorder) {
    return (const Queue *)recorder.queues + recorder.block() % recorder.queue_count;
}

static __device__ __forceinline__ Header header_of(const Recorder &recorder, u32 kind, u32 parts, u32 mask, u32 wrote, u32 extra,
                                                   u64 ticket) {
    Header header;
    header.block = recorder.block();
    header.warp = (u16)recorder.warp();
    header.kind = (u16)(kind | parts << 8);
    header.site = recorder.site;
    header.mask = mask;
    header.wrote = wrote;
    header.extra = extra;
    header.ticket = ticket;
    return header;
}

// A record of one slot. In a launch with a total order it takes a turn of its own, if it has none yet.
extern "C" __device__ __noinline__ void ws_record(WS_RECORDER, u32 kind, u32 mask, u32 wrote, u32 extra, u64 ticket, u64 word) {
    Recorder recorder = WS_RECORDER_HERE;
    bool takes_turn = order != 0 && ticket == 0;
    if (takes_turn) ticket = enter((Order *)order, mask);
    const Queue *queue = queue_of(recorder);
    u64 index = reserve(queue, 1, mask);
    fill(queue, index, header_of(recorder, kind, 0, mask, wrote, extra, ticket), mask, word);
    commit(queue, index, 1, mask);
    if (takes_turn) leave((Order *)order, mask);
}

static __device__ __forceinline__ void record(const Recorder &who, u32 kind, u32 mask, u32 wrote, u32 extra, u64 ticket, u64 word) {
    ws_record(WS_RECORDER_OF(who), kind, mask, wrote, extra, ticket, word);
}

// What the lanes of an access store, up to four words of each, in slots of their own.
struct Values {
    u32 count;
    u64 word_0, word_1, word_2, word_3;
};
#define WS_VALUES u32 values, u64 value_0, u64 value_1, u64 value_2, u64 value_3
#define WS_VALUES_HERE {values, value_0, value_1, value_2, value_3}

static __device__ __forceinline__ void fill_values(const Recorder &recorder, const Queue *queue, u64 index, u32 mask, const Values &values) {
    Header part = header_of(recorder, VALUES, 0, mask, 0, 0, 0);
    if (values.count > 0) fill(queue, index, part, mask, values.word_0);
    if (values.count > 1) fill(queue, index + 1, part, mask, values.word_1);
    if (values.count > 2) fill(queue, index + 2, part, mask, values.word_2);
    if (values.count > 3) fill(queue, index + 3, part, mask, values.word_3);
}
