// Entries of shared memory that do not fit behind it: a slot of global memory for each block that can be resident.
#pragma once
#include "hb_shared.h"

// The block takes a slot for its entries, which begin empty. There are as many slots as blocks can be resident; where some of another launch have them, it waits until one
// of these has ended, which waits for nobody.
extern "C" __device__ void ws_hb_begin_slot() {
    SharedPlaces places = {context_shared_start(), context_shared_stride(), in_shifts()};
    volatile SlotWords *words = (volatile SlotWords *)places.behind();
    u32 thread = number_of_thread(), bytes = places.stride >> places.granule_shift() << places.entry_shift();
    if (thread == 0) {
        u32 count = context_slot_count(), number = (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) % count;
        u32 *all = (u32 *)context_slots();
        while (atomicCAS(all + number, 0u, 1u) != 0) {
            number = number + 1 == count ? 0 : number + 1;
            if (number == 0) __nanosleep(1000);
        }
        __threadfence();
        u32 head = (count * 4 + SLOT_ALIGNMENT - 1) / SLOT_ALIGNMENT * SLOT_ALIGNMENT;
        words->entries = (u64)all + head + (u64)number * context_slot_bytes();
        words->taken = (u64)(all + number);
        words->left = 0;
    }
    asm volatile("bar.sync 0;" ::: "memory");
    u64 entries = words->entries;
    for (u32 offset = thread * 16; offset < bytes; offset += threads_of_block() * 16)
        asm volatile("st.v2.b64 [%0], {%1, %1};" ::"l"(entries + offset), "l"(0ull) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
}

// A thread ends. The last one gives the slot back.
extern "C" __device__ void ws_hb_leave_slot() {
    SlotWords *words = (SlotWords *)__cvta_shared_to_generic(context_shared_start() + context_shared_stride());
    __threadfence();
    if (atomicAdd(&words->left, 1u) + 1 != threads_of_block()) return;
    atomicExch((u32 *)((volatile SlotWords *)words)->taken, 0u);
}
