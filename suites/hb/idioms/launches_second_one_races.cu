// RACY. The first launch is clean; the second one, of the same kernel, reads and writes the same half of the cells.
//@ launch: step<<<2, 64>>>(from = 0, to = 1)
//@ launch: step<<<2, 64>>>(from = 1, to = 1)

__device__ unsigned cells[2][128];

__global__ void step(int from, int to) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    unsigned value = cells[from][127 - i];
    cells[to][i] = value + i;  //~ race: missing-sync (with line 9)
}
