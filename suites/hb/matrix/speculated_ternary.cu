// CLEAN. The same with the ternary operator on shared memory: the last thread reads nothing of its neighbour.
//@ launch: shift<<<1, 64>>>(out: u32[64])

__global__ void shift(unsigned* out) {
    __shared__ unsigned s[65];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    unsigned next = threadIdx.x < 63 ? s[threadIdx.x + 1] : 0;
    if (threadIdx.x == 63) {
        s[64] = 1;
    }
    out[threadIdx.x] = next;
}
