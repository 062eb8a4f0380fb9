// RACY. Atomics of block scope on one lock from two blocks: they race themselves, and hand nothing over.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__device__ unsigned exchange(unsigned* lock, unsigned value) {
    return atomicExch_block(lock, value);  //~ race: scope (with itself)
}

__global__ void add(unsigned* lock, unsigned* total) {
    while (exchange(lock, 1u) != 0u) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;  //~ race: scope (with itself)
    __threadfence();
    exchange(lock, 0u);
}
