// CLEAN. "Kernel start, kernel end order whole launches".
//@ launch: write<<<2, 64>>>(scale = 2)
//@ launch: read<<<4, 32>>>(out: u32[128])

__device__ unsigned table[128];

__global__ void write(unsigned scale) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    table[i] = scale * i;
}

__global__ void read(unsigned* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = table[127 - i];
}
