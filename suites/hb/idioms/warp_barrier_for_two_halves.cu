// RACY. Each half of the warp has a barrier of its own, and reads what the other half wrote.
//@ launch: rotate<<<1, 32>>>(out: u32[32])

__global__ void rotate(unsigned* out) {
    __shared__ unsigned part[32];
    part[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) {
        __syncwarp(0x0000ffffu);
    } else {
        __syncwarp(0xffff0000u);
    }
    __shfl_sync(~0u, 0, 0);
    out[threadIdx.x] = part[31 - threadIdx.x];  //~ race: warp-sync error (with line 6)
}
