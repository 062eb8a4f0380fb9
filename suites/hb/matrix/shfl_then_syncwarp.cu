// CLEAN. A shuffle orders nothing, and the __syncwarp behind it does.
//@ launch: exchange<<<1, 32>>>(out: u32[32])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    s[threadIdx.x] = threadIdx.x;
    unsigned other = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
    __syncwarp();
    out[threadIdx.x] = s[other];
}
