// RACY. "Lanes of one warp are NOT ordered by being in one warp": global memory.
//@ launch: exchange<<<1, 32>>>(data: u32[32], out: u32[32])

__global__ void exchange(unsigned* data, unsigned* out) {
    data[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = data[31 - threadIdx.x];  //~ race: warp-sync error (with line 5)
}
