// CLEAN. "bar.warp.sync among the lanes of its mask": global memory.
//@ launch: exchange<<<1, 32>>>(data: u32[32], out: u32[32])

__global__ void exchange(unsigned* data, unsigned* out) {
    data[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = data[31 - threadIdx.x];
}
