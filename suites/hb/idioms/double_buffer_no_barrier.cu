// RACY. Two buffers in turn without the barrier between filling and reading.
//@ launch: rotate<<<1, 64>>>(cells: u32[64] = iota)

__global__ void rotate(unsigned* cells) {
    __shared__ unsigned buffer[2][64];
    unsigned value = cells[threadIdx.x];
    for (int round = 0; round < 4; ++round) {
        buffer[round % 2][threadIdx.x] = value;
        value = buffer[round % 2][63 - threadIdx.x] + 1;  //~ race: missing-sync (with line 8)
    }
    cells[threadIdx.x] = value;
}
