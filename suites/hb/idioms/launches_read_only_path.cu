// CLEAN. Loads through the read-only path of what an earlier launch wrote.
//@ launch: fill<<<1, 64>>>()
//@ launch: read<<<1, 64>>>(out: u32[64])

__device__ unsigned cells[64];

__global__ void fill() {
    cells[threadIdx.x] = threadIdx.x;
}

__global__ void read(unsigned* out) {
    out[threadIdx.x] = __ldg(cells + 63 - threadIdx.x);
}
