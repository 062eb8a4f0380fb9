// RACY. A lock for the whole grid with fences of block scope: the ends of the patterns do not include each other.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence_block();
    *total = *total + blockIdx.x + 1;  //~ race: scope (with itself)
    __threadfence_block();
    atomicExch(lock, 0u);
}
