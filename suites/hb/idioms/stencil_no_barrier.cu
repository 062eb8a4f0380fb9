// RACY. A stencil without the barrier: neighbours are in the same warp, but at its edge in the next.
//@ launch: blur<<<1, 64>>>(in: u32[65] = iota, out: u32[64])

__global__ void blur(unsigned* in, unsigned* out) {
    __shared__ unsigned tile[65];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = threadIdx.x < 63 ? tile[threadIdx.x + 1] : 0;  //~ race: missing-sync (with line 6) //~ race: warp-sync error (with line 6)
}
