// Locks of compare-and-swap, fences and exchange, whose scopes are the program's choice.
#pragma once

namespace scor {

// How far an operation reaches; `none` is a fence that is not there.
enum class Reach { none, block, device };

template <Reach REACH>
__device__ __forceinline__ void memory_fence() {
    if constexpr (REACH == Reach::block) {
        __threadfence_block();
    } else if constexpr (REACH == Reach::device) {
        __threadfence();
    }
}

template <Reach REACH>
__device__ __forceinline__ unsigned add(unsigned* word, unsigned value) {
    return REACH == Reach::block ? atomicAdd_block(word, value) : atomicAdd(word, value);
}

// Does something while a lock is held. One thread of a warp at a time may do so. A report names the line of the caller both
// for taking the lock and for giving it back.
template <Reach ATOMICS, Reach FENCES, typename Critical>
__device__ __forceinline__ void under_lock(unsigned* lock, Critical critical) {
    if constexpr (ATOMICS == Reach::block) {
        while (atomicCAS_block(lock, 0u, 1u) != 0u) {
        }
    } else {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
    }
    memory_fence<FENCES>();
    critical();
    memory_fence<FENCES>();
    if constexpr (ATOMICS == Reach::block) {
        atomicExch_block(lock, 0u);
    } else {
        atomicExch(lock, 0u);
    }
}

}  // namespace scor
