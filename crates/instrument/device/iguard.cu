// iGUARD's checks as templates: `iguard.h` has the rules.
#include "iguard.h"

#define CHECKS(words)                                                                                                    \
    extern "C" __device__ void ws_iguard_load_##words() { check_access<LOAD, words>(); }                                  \
    extern "C" __device__ void ws_iguard_store_##words() { check_access<STORE, words>(); }                                \
    extern "C" __device__ void ws_iguard_atomic_##words() { check_access<ATOMIC_ACCESS, words>(); }                       \
    extern "C" __device__ void ws_iguard_block_atomic_##words() { check_access<ATOMIC_ACCESS | SCOPE_IS_BLOCK, words>(); } \
    extern "C" __device__ void ws_iguard_locked_load_##words() { check_access<LOAD | WITH_LOCKS, words>(); }              \
    extern "C" __device__ void ws_iguard_locked_store_##words() { check_access<STORE | WITH_LOCKS, words>(); }            \
    extern "C" __device__ void ws_iguard_locked_atomic_##words() { check_access<ATOMIC_ACCESS | WITH_LOCKS, words>(); }   \
    extern "C" __device__ void ws_iguard_locked_block_atomic_##words() {                                                  \
        check_access<ATOMIC_ACCESS | WITH_LOCKS | SCOPE_IS_BLOCK, words>();                                               \
    }
CHECKS(1)
CHECKS(2)
CHECKS(4)

extern "C" __device__ void ws_iguard_device_fence() { fence(true, false); }
extern "C" __device__ void ws_iguard_block_fence() { fence(false, false); }
extern "C" __device__ void ws_iguard_locked_device_fence() { fence(true, true); }
extern "C" __device__ void ws_iguard_locked_block_fence() { fence(false, true); }

extern "C" __device__ void ws_iguard_swap() { lock_or_unlock(true, false, __activemask()); }
extern "C" __device__ void ws_iguard_block_swap() { lock_or_unlock(true, true, __activemask()); }
extern "C" __device__ void ws_iguard_exchange() { lock_or_unlock(false, false, __activemask()); }
extern "C" __device__ void ws_iguard_block_exchange() { lock_or_unlock(false, true, __activemask()); }

extern "C" __device__ void ws_iguard_block_barrier() { out_self(counted(in_self(), BLOCK_BARRIER, 8)); }

// The counter belongs to the warp: one lane of those that met counts, and all wait until it has.
static __device__ __forceinline__ void count_warp_barrier(u32 mask) {
    u64 self = in_self();
    volatile u32 *counter = (volatile u32 *)context_warp_barriers() + warp_of(self);
    if (lane_of(self) == __ffs(mask) - 1) *counter = *counter + 1;
    __syncwarp(mask);
    out_self((self & ~WARP_BARRIERS) | (*counter & WARP_BARRIERS));
}

extern "C" __device__ void ws_iguard_warp_barrier() { count_warp_barrier(in_mask()); }

// A barrier of some threads of the block orders at least those of each warp.
extern "C" __device__ void ws_iguard_partial_barrier() { count_warp_barrier(__activemask()); }

// What a lane knows of its warp's counter may be old where lanes meet in parts.
extern "C" __device__ void ws_iguard_refresh() {
    u64 self = in_self();
    volatile u32 *counter = (volatile u32 *)context_warp_barriers() + warp_of(self);
    out_self((self & ~WARP_BARRIERS) | (*counter & WARP_BARRIERS));
}

// The beginning of a kernel that may use locks: nobody holds one.
extern "C" __device__ void ws_iguard_begin_with_locks() {
    u64 self = in_self();
    ((volatile u64 *)context_warp_locks())[warp_of(self)] = 0;
    ((volatile u64 *)context_thread_locks())[thread_of(self)] = 0;
    __syncwarp(__activemask());
}

// The beginning of a kernel with fences or warp barriers: the counters are compared for equality only, so they
// begin wherever the last launch left them.
extern "C" __device__ void ws_iguard_begin_with_fences() {
    u64 self = in_self();
    u64 fences = ((volatile u16 *)context_thread_fences())[thread_of(self)] & 0xFFF;
    out_self((self & ~FENCES) | fences << BLOCK_FENCE);
}
