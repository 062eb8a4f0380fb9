// CLEAN. Block-scope atomics of two launches on one word, one block each: the launches are ordered.
//@ launch: count<<<1, 64>>>(value = 1)
//@ launch: count<<<1, 64>>>(value = 2)

__device__ unsigned counter;

__global__ void count(unsigned value) {
    atomicAdd_block(&counter, value);
}
