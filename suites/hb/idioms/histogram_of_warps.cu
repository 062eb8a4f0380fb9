// CLEAN. Each warp has bins of its own, counted by atomics; after a barrier they are added up.
//@ launch: histogram<<<1, 128>>>(bins: u32[8])

__global__ void histogram(unsigned* bins) {
    __shared__ unsigned local[4][8];
    if (threadIdx.x < 32) {
        local[threadIdx.x / 8][threadIdx.x % 8] = 0;
    }
    __syncthreads();
    atomicAdd(&local[threadIdx.x / 32][threadIdx.x * 3 % 8], 1u);
    __syncthreads();
    if (threadIdx.x < 8) {
        bins[threadIdx.x] = local[0][threadIdx.x] + local[1][threadIdx.x] + local[2][threadIdx.x] + local[3][threadIdx.x];
    }
}
