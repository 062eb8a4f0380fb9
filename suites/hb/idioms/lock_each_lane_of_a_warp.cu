// CLEAN. All lanes of one warp take the same lock, one after another. Lanes are threads: the lock orders them.
//@ launch: add<<<1, 32>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            __threadfence();
            *total = *total + threadIdx.x + 1;
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}
