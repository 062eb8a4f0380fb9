// CLEAN. tile_without_second_barrier.cu, with a barrier at the end of the loop.
//@ launch: sums<<<1, 128>>>(in: u32[1024] = iota, out: u32[128], tiles = 8)

__global__ void sums(const unsigned* in, unsigned* out, unsigned tiles) {
    __shared__ unsigned tile[128];
    unsigned sum = 0;
    for (unsigned t = 0; t < tiles; ++t) {
        tile[threadIdx.x] = in[t * 128 + threadIdx.x];
        __syncthreads();
        sum += tile[127 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
