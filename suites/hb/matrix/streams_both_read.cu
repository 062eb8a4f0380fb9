// CLEAN. Two launches of different streams read the same.
//@ launch: read<<<1, 64, stream=1>>>(out: u32[64])
//@ launch: read<<<1, 64, stream=2>>>(out: u32[64])

__device__ unsigned table[64];

__global__ void read(unsigned* out) {
    out[threadIdx.x] = table[threadIdx.x ^ 1];
}
