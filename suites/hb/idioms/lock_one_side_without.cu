// RACY. One block takes the lock, the other changes the same word without it.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    if (blockIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicExch(lock, 0u);
    } else {
        *total = *total + 2;  //~ race: lock (with line 9)
    }
}
