// CLEAN. Shared memory is that of a block of one launch.
//@ launch: reverse<<<1, 64, stream=1>>>(out: u32[64])
//@ launch: reverse<<<1, 64, stream=2>>>(out: u32[64])

__global__ void reverse(unsigned* out) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
