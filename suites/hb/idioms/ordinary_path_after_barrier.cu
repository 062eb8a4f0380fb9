// CLEAN. The same with an ordinary load.
//@ launch: rotate<<<1, 64>>>(cells: u32[64], out: u32[64])

__global__ void rotate(unsigned* cells, unsigned* out) {
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = cells[63 - threadIdx.x];
}
