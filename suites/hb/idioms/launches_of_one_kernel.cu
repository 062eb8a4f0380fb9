// CLEAN. The same kernel twice on the same memory; each launch reads what other blocks wrote in the one before.
//@ launch: step<<<2, 64>>>(round = 0)
//@ launch: step<<<2, 64>>>(round = 1)
//@ launch: step<<<2, 64>>>(round = 2)

__device__ unsigned cells[2][128];

__global__ void step(int round) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    cells[(round + 1) % 2][i] = cells[round % 2][127 - i] + 1;
}
