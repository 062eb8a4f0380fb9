// CLEAN. Atomics on the two halves of a double word are on two words, which do not overlap.
//@ launch: count<<<2, 32>>>(counter: u32[2])

__global__ void count(unsigned* counter) {
    atomicAdd(counter + threadIdx.x % 2, 1u);
}
