// CLEAN. Bins in shared memory: cleared, counted by atomics, added to the global ones, with barriers between.
//@ launch: histogram<<<2, 64>>>(in: u32[128] = iota, bins: u32[16])

__global__ void histogram(unsigned* in, unsigned* bins) {
    __shared__ unsigned local[16];
    if (threadIdx.x < 16) {
        local[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&local[in[blockIdx.x * 64 + threadIdx.x] * 7 % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(bins + threadIdx.x, local[threadIdx.x]);
    }
}
