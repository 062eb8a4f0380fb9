// CLEAN. A scan of a block in place with two barriers in each step.
//@ launch: scan<<<1, 64>>>(in: u32[64] = iota, out: u32[64])

__global__ void scan(unsigned* in, unsigned* out) {
    __shared__ unsigned part[64];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int offset = 1; offset < 64; offset *= 2) {
        unsigned left = threadIdx.x >= offset ? part[threadIdx.x - offset] : 0;
        __syncthreads();
        part[threadIdx.x] += left;
        __syncthreads();
    }
    out[threadIdx.x] = part[threadIdx.x];
}
