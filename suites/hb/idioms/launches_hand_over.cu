// CLEAN. One launch writes, the next one reads with the threads the other way round: launches of one stream are ordered.
//@ launch: fill<<<2, 64>>>()
//@ launch: read<<<2, 64>>>(out: u32[128])

__device__ unsigned cells[128];

__global__ void fill() {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    cells[i] = i;
}

__global__ void read(unsigned* out) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = cells[127 - i];
}
