// RACY. A stencil in place: a block reads the edge that its neighbour overwrites.
//@ launch: blur<<<2, 32>>>(cells: u32[65] = iota)

__global__ void blur(unsigned* cells) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    unsigned sum = cells[i] + cells[i + 1];
    __syncthreads();
    cells[i] = sum;  //~ race: missing-sync (with line 6)
}
