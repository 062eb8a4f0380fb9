// RACY. A clean launch before a racy one of the same kernel: the race is in the second.
//@ launch: write<<<1, 64>>>(stride = 1)
//@ launch: write<<<2, 64>>>(stride = 1)

__device__ unsigned table[64];

__global__ void write(unsigned stride) {
    table[threadIdx.x * stride] = blockIdx.x;  //~ race: missing-sync error (with itself)
}
