// CLEAN. Every block has its own counter, for which block scope is enough.
//@ launch: count<<<4, 64>>>(counters: u32[4])

__global__ void count(unsigned* counters) {
    atomicAdd_block(&counters[blockIdx.x], 1);
}
