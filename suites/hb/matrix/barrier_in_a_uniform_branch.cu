// CLEAN. A barrier in a branch that all threads of the block take.
//@ launch: wait<<<2, 64>>>(out: u32[128], n = 64)

__global__ void wait(unsigned* out, unsigned n) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    if (n > 32) {
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 32];
    }
}
