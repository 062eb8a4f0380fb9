// RACY. Fences of block scope around the critical section of a ticket lock of two blocks.
//@ launch: add<<<2, 1>>>(next: u32[1], serving: u32[1], total: u32[1])

__global__ void add(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (atomicAdd(serving, 0u) != ticket) {
    }
    __threadfence_block();
    *total = *total + blockIdx.x + 1;  //~ race: scope (with itself)
    __threadfence_block();
    atomicAdd(serving, 1u);
}
