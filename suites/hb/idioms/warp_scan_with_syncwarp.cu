// CLEAN. A scan of a warp in shared memory with __syncwarp around each write.
//@ launch: scan<<<1, 32>>>(out: u32[32])

__global__ void scan(unsigned* out) {
    __shared__ unsigned part[32];
    part[threadIdx.x] = threadIdx.x + 1;
    __syncwarp();
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned left = threadIdx.x >= offset ? part[threadIdx.x - offset] : 0;
        __syncwarp();
        part[threadIdx.x] += left;
        __syncwarp();
    }
    out[threadIdx.x] = part[threadIdx.x];
}
