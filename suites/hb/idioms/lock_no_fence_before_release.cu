// RACY. A spin lock given back without a fence before the exchange: there is no release pattern.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;  //~ race: missing-fence (with itself)
    atomicExch(lock, 0u);
}
