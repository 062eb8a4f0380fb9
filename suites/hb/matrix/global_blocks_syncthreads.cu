// RACY. "Barriers among their participants": a block barrier orders nothing between blocks.
//@ launch: hand_over<<<2, 64>>>(data: u32[128], out: u32[128])

__global__ void hand_over(unsigned* data, unsigned* out) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    data[i] = i;
    __syncthreads();
    out[i] = data[i ^ 64];  //~ race: missing-sync error (with line 6)
}
