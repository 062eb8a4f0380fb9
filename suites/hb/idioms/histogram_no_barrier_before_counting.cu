// RACY. The bins are counted while the other warp still clears them.
//@ launch: histogram<<<1, 64>>>(bins: u32[64])

__global__ void histogram(unsigned* bins) {
    __shared__ unsigned local[64];
    local[threadIdx.x] = 0;
    atomicAdd(&local[63 - threadIdx.x], 1u);  //~ race: missing-sync (with line 6)
    __syncthreads();
    bins[threadIdx.x] = local[threadIdx.x];
}
