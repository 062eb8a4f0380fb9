// CLEAN. bar.warp.sync orders the lanes of its mask.
//@ launch: rotate<<<1, 32>>>(out: u32[32])

__global__ void rotate(unsigned* out) {
    __shared__ unsigned part[32];
    part[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = part[(threadIdx.x + 3) % 32];
}
