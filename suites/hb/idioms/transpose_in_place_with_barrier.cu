// CLEAN. A transpose in place of one block: all read, a barrier, all write.
//@ launch: transpose<<<1, 16x16>>>(matrix: u32[256] = iota)

__global__ void transpose(unsigned* matrix) {
    unsigned value = matrix[threadIdx.x * 16 + threadIdx.y];
    __syncthreads();
    matrix[threadIdx.y * 16 + threadIdx.x] = value;
}
