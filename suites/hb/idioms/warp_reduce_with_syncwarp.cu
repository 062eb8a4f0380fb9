// CLEAN. A reduction of a warp in shared memory with __syncwarp between reading and writing.
//@ launch: reduce<<<1, 32>>>(in: u32[32] = iota, out: u32[1])

__global__ void reduce(unsigned* in, unsigned* out) {
    __shared__ unsigned part[32];
    part[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (int stride = 16; stride > 0; stride /= 2) {
        unsigned other = part[(threadIdx.x + stride) % 32];
        __syncwarp();
        part[threadIdx.x] += other;
        __syncwarp();
    }
    if (threadIdx.x == 0) {
        *out = part[0];
    }
}
