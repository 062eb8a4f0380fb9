// CLEAN. Atomics of block scope on a counter that only one block uses.
//@ launch: count<<<3, 64>>>(counters: u32[3])

__global__ void count(unsigned* counters) {
    atomicAdd_block(counters + blockIdx.x, threadIdx.x);
}
