// CLEAN. "Barriers among their participants": a block barrier orders global memory as well.
//@ launch: exchange<<<1, 64>>>(data: u32[64], out: u32[64])

__global__ void exchange(unsigned* data, unsigned* out) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x ^ 32];
}
