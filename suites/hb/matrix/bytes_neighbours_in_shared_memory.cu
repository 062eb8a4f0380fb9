// CLEAN. Bytes of one word of shared memory belong to different warps.
//@ launch: fill<<<1, 64>>>(out: u8[64])

__global__ void fill(unsigned char* out) {
    __shared__ unsigned char s[64];
    unsigned mine = threadIdx.x % 32 * 2 + threadIdx.x / 32;
    s[mine] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
