// CLEAN. "Memory written in the same launch": it was written in the launch before.
//@ launch: fill<<<2, 32>>>(scale = 3)
//@ launch: look<<<2, 32>>>(out: u32[64])

__device__ unsigned table[64];

__global__ void fill(unsigned scale) {
    table[blockIdx.x * 32 + threadIdx.x] = scale * threadIdx.x;
}

__global__ void look(unsigned* out) {
    out[blockIdx.x * 32 + threadIdx.x] = __ldg(&table[63 - blockIdx.x * 32 - threadIdx.x]);
}
