// CLEAN. Two launches write the same words, one after the other.
//@ launch: write<<<2, 64>>>(value = 2)
//@ launch: write<<<2, 64>>>(value = 3)

__device__ unsigned table[128];

__global__ void write(unsigned value) {
    table[blockIdx.x * 64 + threadIdx.x] = value;
}
