// RACY. The counter is counted with block scope: the additions race, and hand no sums over.
//@ launch: reduce<<<3, 64>>>(sums: u32[3], counter: u32[1], total: u32[1])

__global__ void reduce(unsigned* sums, unsigned* counter, unsigned* total) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd_block(counter, 1u) == gridDim.x - 1;  //~ race: scope (with itself)
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x >= 32 && threadIdx.x < 35) {
        atomicAdd(total, sums[threadIdx.x - 32]);  //~ race: scope (with line 7)
    }
}
