// RACY. Atomics of block scope in two launches: no block is in both.
//@ launch: count<<<1, 64, stream=1>>>()
//@ launch: count<<<1, 64, stream=2>>>()

__device__ unsigned counter;

__global__ void count() {
    atomicAdd_block(&counter, 1);  //~ race: inter-kernel error (with itself)
}
