// CLEAN. A tree in shared memory with a barrier in each step.
//@ launch: reduce<<<2, 128>>>(in: u32[256] = iota, out: u32[2])

__global__ void reduce(unsigned* in, unsigned* out) {
    __shared__ unsigned part[128];
    part[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    for (int stride = 64; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) {
            part[threadIdx.x] += part[threadIdx.x + stride];
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = part[0];
    }
}
