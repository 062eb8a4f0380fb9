// RACY. A spin lock whose owner reads the data without a fence after the compare-and-swap: there is no acquire pattern.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    *total = *total + blockIdx.x + 1;  //~ race: missing-fence (with itself)
    __threadfence();
    atomicExch(lock, 0u);
}
