// RACY. A spin lock of relaxed atomics only. They keep others out, and order nothing.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    *total = *total + blockIdx.x + 1;  //~ race: missing-fence (with itself)
    atomicExch(lock, 0u);
}
