// CLEAN. One thread takes the lock for its block; barriers bring the order to the other threads and back.
//@ launch: add<<<3, 64>>>(lock: u32[1], totals: u32[64])

__global__ void add(unsigned* lock, unsigned* totals) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence();
    }
    __syncthreads();
    totals[63 - threadIdx.x] += blockIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(lock, 0u);
    }
}
