// RACY. The barrier orders the block, and the thread that draws the ticket has no fence: the last block is after nothing that others did.
//@ launch: reduce<<<3, 64>>>(parts: u32[192], counter: u32[1], total: u32[1])

__global__ void reduce(unsigned* parts, unsigned* counter, unsigned* total) {
    __shared__ bool last;
    parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    __threadfence();
    if (last) {
        for (unsigned block = 0; block < gridDim.x; block++) {
            atomicAdd(total, parts[block * 64 + 63 - threadIdx.x]);  //~ race: missing-fence (with line 6)
        }
    }
}
