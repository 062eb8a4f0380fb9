// CLEAN. "bar.warp.sync among the lanes of its mask": shared memory, all lanes.
//@ launch: exchange<<<1, 32>>>(out: u32[32])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
