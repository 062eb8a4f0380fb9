// CLEAN. A ticket lock of relaxed atomics with a fence on each side. Each owner observes the one before; the order is transitive.
//@ launch: add<<<4, 1>>>(next: u32[1], serving: u32[1], total: u32[1])

__global__ void add(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (atomicAdd(serving, 0u) != ticket) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;
    __threadfence();
    atomicAdd(serving, 1u);
}
