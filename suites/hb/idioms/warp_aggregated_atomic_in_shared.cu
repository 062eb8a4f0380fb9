// RACY. The base goes to the other lanes through shared memory, without __syncwarp.
//@ launch: compact<<<1, 32>>>(in: u32[32] = iota, count: u32[1], out: u32[32])

__global__ void compact(unsigned* in, unsigned* count, unsigned* out) {
    __shared__ unsigned base;
    if (threadIdx.x == 0) {
        base = atomicAdd(count, 32u);
    }
    unsigned first = __shfl_sync(~0u, in[threadIdx.x], 0);
    out[base + threadIdx.x] = first + threadIdx.x;  //~ race: warp-sync error (with line 7)
}
