// CLEAN. One branch writes, and after a __syncwarp another branch reads.
//@ launch: branch<<<1, 32>>>(out: u32[16])

__global__ void branch(unsigned* out) {
    __shared__ unsigned part[16];
    if (threadIdx.x < 16) {
        part[threadIdx.x] = threadIdx.x;
    }
    __syncwarp();
    if (threadIdx.x >= 16) {
        out[threadIdx.x - 16] = part[31 - threadIdx.x];
    }
}
