// CLEAN. Launches of two streams write neighbouring words.
//@ launch: write<<<1, 32, stream=1>>>(which = 0)
//@ launch: write<<<1, 32, stream=2>>>(which = 1)

__device__ unsigned table[64];

__global__ void write(unsigned which) {
    table[2 * threadIdx.x + which] = threadIdx.x;
}
