// CLEAN. One thread draws the ticket, and every thread of the last block has a fence behind the barrier: each of those is after the fences before the tickets.
//@ launch: reduce<<<3, 64>>>(sums: u32[3], counter: u32[1], total: u32[1])

__global__ void reduce(unsigned* sums, unsigned* counter, unsigned* total) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    __threadfence();
    if (last && threadIdx.x >= 32 && threadIdx.x < 35) {
        atomicAdd(total, sums[threadIdx.x - 32]);
    }
}
