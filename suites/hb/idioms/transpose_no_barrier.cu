// RACY. A transpose without the barrier. Two rows are one warp: some elements come from the own warp, most from others.
//@ launch: transpose<<<1, 16x16>>>(in: u32[256] = iota, out: u32[256])

__global__ void transpose(unsigned* in, unsigned* out) {
    __shared__ unsigned tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  //~ race: missing-sync (with line 6) //~ race: warp-sync error (with line 6)
}
