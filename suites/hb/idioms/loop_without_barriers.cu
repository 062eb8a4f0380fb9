// RACY. A loop with no barrier at all: whether the second access is of the same pass or of the next cannot be told.
//@ launch: sums<<<1, 128>>>(in: u32[1024] = iota, out: u32[128], tiles = 8)
//@ groups: 1
//@ advice: put __syncthreads() between the two accesses

__global__ void sums(const unsigned* in, unsigned* out, unsigned tiles) {
    __shared__ unsigned tile[128];
    unsigned sum = 0;
    for (unsigned t = 0; t < tiles; ++t) {
        tile[threadIdx.x] = in[t * 128 + threadIdx.x];  //~ race: missing-sync error (with line 11)
        sum += tile[127 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
