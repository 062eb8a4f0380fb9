// CLEAN. "atom without qualifiers: strong, relaxed at gpu": atomics of all blocks on one word.
//@ launch: count<<<4, 64>>>(counter: u32[1])

__global__ void count(unsigned* counter) {
    atomicAdd(counter, threadIdx.x);
}
