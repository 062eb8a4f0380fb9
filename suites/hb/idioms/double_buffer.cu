// CLEAN. Two buffers in turn: one barrier in each round is enough, for a buffer is written again two barriers later.
//@ launch: rotate<<<1, 64>>>(cells: u32[64] = iota)

__global__ void rotate(unsigned* cells) {
    __shared__ unsigned buffer[2][64];
    unsigned value = cells[threadIdx.x];
    for (int round = 0; round < 4; ++round) {
        buffer[round % 2][threadIdx.x] = value;
        __syncthreads();
        value = buffer[round % 2][63 - threadIdx.x] + 1;
    }
    cells[threadIdx.x] = value;
}
