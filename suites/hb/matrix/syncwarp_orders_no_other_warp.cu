// RACY. "bar.warp.sync among the lanes of its mask": two warps that both call it are not ordered.
//@ launch: exchange<<<1, 64>>>(out: u32[64])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 32];  //~ race: missing-sync error (with line 6)
}
