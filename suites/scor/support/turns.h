// Counters by which one thread comes after another. They are relaxed atomics on both sides, and no fence: whoever wants to
// hand something over needs fences of its own.
#pragma once

namespace scor {

// Waiting ends after so many looks, since a program with a race may wait for what never comes.
constexpr unsigned LOOKS = 1u << 24;

__device__ __forceinline__ void tell(unsigned* counter) {
    atomicAdd(counter, 1u);
}

__device__ __forceinline__ void wait_for(unsigned* counter, unsigned times) {
    for (unsigned looks = 0; looks < LOOKS && atomicAdd(counter, 0u) < times; ++looks) {
    }
}

}  // namespace scor
