// CLEAN. One buffer with a barrier after filling and one after reading.
//@ launch: rotate<<<1, 64>>>(cells: u32[64] = iota)

__global__ void rotate(unsigned* cells) {
    __shared__ unsigned buffer[64];
    unsigned value = cells[threadIdx.x];
    for (int round = 0; round < 4; ++round) {
        buffer[threadIdx.x] = value;
        __syncthreads();
        value = buffer[63 - threadIdx.x] + 1;
        __syncthreads();
    }
    cells[threadIdx.x] = value;
}
