// CLEAN. "Barriers among their participants": a block barrier orders the lanes of one warp, too.
//@ launch: exchange<<<1, 32>>>(out: u32[32])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
