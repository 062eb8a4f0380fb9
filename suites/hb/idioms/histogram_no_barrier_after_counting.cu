// RACY. The bins are read while the other warp still counts.
//@ launch: histogram<<<1, 64>>>(bins: u32[64])

__global__ void histogram(unsigned* bins) {
    __shared__ unsigned local[64];
    local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local[63 - threadIdx.x], 1u);
    bins[threadIdx.x] = local[threadIdx.x];  //~ race: missing-sync (with line 8)
}
