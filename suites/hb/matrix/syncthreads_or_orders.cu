// CLEAN. "Barriers: sync, red": __syncthreads_or is a barrier, too.
//@ launch: exchange<<<1, 64>>>(out: u32[64])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    if (__syncthreads_or(threadIdx.x == 5)) {
        out[threadIdx.x] = s[threadIdx.x ^ 32];
    }
}
