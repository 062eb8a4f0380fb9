// RACY. A reader that does not take the lock of the writers.
//@ launch: swap<<<2, 1>>>(lock: u32[1], pair: u32[2], out: u32[1])

__global__ void swap(unsigned* lock, unsigned* pair, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence();
        pair[0] = 7;
        __threadfence();
        atomicExch(lock, 0u);
    } else {
        *out = pair[0];  //~ race: lock (with line 9)
    }
}
