// RACY. The fence before the counter is __threadfence_block.
//@ launch: reduce<<<3, 64>>>(sums: u32[3], counter: u32[1], total: u32[1])

__global__ void reduce(unsigned* sums, unsigned* counter, unsigned* total) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x + 1;
        __threadfence_block();
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x >= 32 && threadIdx.x < 35) {
        atomicAdd(total, sums[threadIdx.x - 32]);  //~ race: scope (with line 7)
    }
}
