// RACY. One branch writes, the other one reads: lanes of one warp that diverged.
//@ launch: branch<<<1, 32>>>(out: u32[16])

__global__ void branch(unsigned* out) {
    __shared__ unsigned part[16];
    if (threadIdx.x < 16) {
        part[threadIdx.x] = threadIdx.x;
    } else {
        out[threadIdx.x - 16] = part[31 - threadIdx.x];  //~ race: divergence (with line 7)
    }
}
