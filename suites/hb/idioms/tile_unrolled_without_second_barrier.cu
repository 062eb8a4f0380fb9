// RACY. tile_without_second_barrier.cu, with a loop that the compiler unrolls: the second access is of a later pass, though no loop is left.
//@ launch: sums<<<1, 128>>>(in: u32[1024] = iota, out: u32[128])
//@ groups: 1
//@ advice: put __syncthreads() at the end of the loop, before its next pass begins

__global__ void sums(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[128];
    unsigned sum = 0;
    for (unsigned t = 0; t < 4; ++t) {
        tile[threadIdx.x] = in[t * 128 + threadIdx.x];  //~ race: missing-sync error (with line 12)
        __syncthreads();
        sum += tile[127 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
