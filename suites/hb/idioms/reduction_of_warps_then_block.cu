// CLEAN. Shuffles in the warps, one word for each warp in shared memory, a barrier, and one warp adds them up.
//@ launch: reduce<<<1, 128>>>(in: u32[128] = iota, out: u32[1])

__global__ void reduce(unsigned* in, unsigned* out) {
    __shared__ unsigned sums[4];
    unsigned sum = in[threadIdx.x];
    for (int stride = 16; stride > 0; stride /= 2) {
        sum += __shfl_down_sync(~0u, sum, stride);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = sums[0] + sums[1] + sums[2] + sums[3];
    }
}
