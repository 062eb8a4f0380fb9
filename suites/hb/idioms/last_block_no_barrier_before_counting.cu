// RACY. All threads write, one counts for them without a barrier before.
//@ launch: reduce<<<2, 64>>>(parts: u32[128], counter: u32[1], total: u32[1])

__global__ void reduce(unsigned* parts, unsigned* counter, unsigned* total) {
    __shared__ bool last;
    parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __threadfence();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        atomicAdd(total, parts[(1 - blockIdx.x) * 64 + 63 - threadIdx.x]);  //~ race: missing-sync (with line 6)
    }
}
