// CLEAN. A reduction of a warp in registers; memory is touched by one lane only.
//@ launch: reduce<<<2, 32>>>(in: u32[64] = iota, out: u32[2])

__global__ void reduce(unsigned* in, unsigned* out) {
    unsigned sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int stride = 16; stride > 0; stride /= 2) {
        sum += __shfl_down_sync(~0u, sum, stride);
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}
