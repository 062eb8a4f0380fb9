// CLEAN. "Barriers: bar/barrier.cta among their participants": two warps, shared memory.
//@ launch: exchange<<<1, 64>>>(out: u32[64])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
