// RACY. A vote orders no memory either.
//@ launch: rotate<<<1, 32>>>(out: u32[32])

__global__ void rotate(unsigned* out) {
    __shared__ unsigned part[32];
    part[threadIdx.x] = threadIdx.x;
    unsigned shift = __popc(__ballot_sync(~0u, threadIdx.x < 3));
    out[threadIdx.x] = part[(threadIdx.x + shift) % 32];  //~ race: warp-sync error (with line 6)
}
