// CLEAN. A stencil of three points from a tile with a halo.
//@ launch: blur<<<2, 64>>>(in: u32[130] = iota, out: u32[128])

__global__ void blur(unsigned* in, unsigned* out) {
    __shared__ unsigned tile[66];
    unsigned first = blockIdx.x * 64;
    tile[threadIdx.x + 1] = in[first + threadIdx.x + 1];
    if (threadIdx.x == 0) {
        tile[0] = in[first];
        tile[65] = in[first + 65];
    }
    __syncthreads();
    out[first + threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}
