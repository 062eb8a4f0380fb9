// RACY. Tiles of a sum in a loop, with a barrier before the tile is read and none behind: the write of the next pass races with the read of this one.
//@ launch: sums<<<1, 128>>>(in: u32[1024] = iota, out: u32[128], tiles = 8)
//@ groups: 1
//@ advice: put __syncthreads() at the end of the loop, before its next pass begins

__global__ void sums(const unsigned* in, unsigned* out, unsigned tiles) {
    __shared__ unsigned tile[128];
    unsigned sum = 0;
    for (unsigned t = 0; t < tiles; ++t) {
        tile[threadIdx.x] = in[t * 128 + threadIdx.x];  //~ race: missing-sync error (with line 12)
        __syncthreads();
        sum += tile[127 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
