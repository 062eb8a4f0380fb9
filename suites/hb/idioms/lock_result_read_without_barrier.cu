// RACY. One thread reads the result of the locked additions of others, without the lock and without a barrier.
//@ launch: add<<<1, 96>>>(lock: u32[1], total: u32[1], out: u32[1])

__global__ void add(unsigned* lock, unsigned* total, unsigned* out) {
    if (threadIdx.x == 32) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence();
        *total = *total + threadIdx.x;
        __threadfence();
        atomicExch(lock, 0u);
    }
    if (threadIdx.x == 64) {
        *out = *total;  //~ race: lock (with line 9)
    }
}
