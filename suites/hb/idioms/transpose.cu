// CLEAN. A transpose through a tile, with a barrier between writing rows and reading columns.
//@ launch: transpose<<<1, 16x16>>>(in: u32[256] = iota, out: u32[256])

__global__ void transpose(unsigned* in, unsigned* out) {
    __shared__ unsigned tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
