// RACY. A load through the read-only path of memory that the same launch wrote. The barrier does not help.
//@ launch: rotate<<<1, 64>>>(cells: u32[64], out: u32[64])

__global__ void rotate(unsigned* cells, unsigned* out) {
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = __ldg(cells + 63 - threadIdx.x);  //~ race: readonly-path (with line 5)
}
