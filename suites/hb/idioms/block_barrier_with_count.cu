// CLEAN. __syncthreads_count is a barrier as well.
//@ launch: rotate<<<1, 64>>>(out: u32[64])

__global__ void rotate(unsigned* out) {
    __shared__ unsigned part[64];
    part[threadIdx.x] = threadIdx.x;
    int odd = __syncthreads_count(threadIdx.x % 2);
    out[threadIdx.x] = part[63 - threadIdx.x] + odd;
}
