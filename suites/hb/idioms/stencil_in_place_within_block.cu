// CLEAN. A stencil in place, several steps, with a barrier after reading and one after writing.
//@ launch: blur<<<1, 64>>>(cells: u32[66] = iota)

__global__ void blur(unsigned* cells) {
    for (int step = 0; step < 3; ++step) {
        unsigned sum = cells[threadIdx.x] + cells[threadIdx.x + 1] + cells[threadIdx.x + 2];
        __syncthreads();
        cells[threadIdx.x + 1] = sum / 3;
        __syncthreads();
    }
}
