// CLEAN. "Barriers: sync, red": __syncthreads_count is a barrier, too.
//@ launch: exchange<<<1, 64>>>(out: u32[64])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    int odd = __syncthreads_count(threadIdx.x & 1);
    out[threadIdx.x] = s[threadIdx.x ^ 32] + odd;
}
