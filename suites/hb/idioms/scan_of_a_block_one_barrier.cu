// RACY. A scan in place without the barrier between reading the neighbour and writing the own sum. Only the step of 32 is
// done here, which goes from one warp to the other.
//@ launch: scan<<<1, 64>>>(in: u32[64] = iota, out: u32[64])

__global__ void scan(unsigned* in, unsigned* out) {
    __shared__ unsigned part[64];
    part[threadIdx.x] = in[threadIdx.x] + 1;
    __syncthreads();
    unsigned other = part[(threadIdx.x + 32) % 64];
    part[threadIdx.x] += other;  //~ race: missing-sync (with line 9)
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x];
}
