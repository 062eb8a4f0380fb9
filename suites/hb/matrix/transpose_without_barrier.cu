// RACY. A tile that is written by rows and read by columns, without the barrier.
//@ launch: transpose<<<1, (16, 16)>>>(in: u32[256] = iota, out: u32[256])

__global__ void transpose(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[16][17];
    unsigned i = threadIdx.y * 16 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = in[i];  //~ race: warp-sync error (with line 8)
    out[i] = tile[threadIdx.x][threadIdx.y];  //~ race: missing-sync error (with line 7)
}
