// CLEAN. The default stream waits for all streams.
//@ launch: write<<<1, 64, stream=1>>>()
//@ launch: read<<<1, 64>>>(out: u32[64])

__device__ unsigned table[64];

__global__ void write() {
    table[threadIdx.x] = threadIdx.x;
}

__global__ void read(unsigned* out) {
    out[threadIdx.x] = table[threadIdx.x ^ 1];
}
