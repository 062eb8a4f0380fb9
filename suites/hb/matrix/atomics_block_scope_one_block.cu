// CLEAN. Scope inclusion: ".cta = same block".
//@ launch: count<<<1, 128>>>(counter: u32[1])

__global__ void count(unsigned* counter) {
    atomicAdd_block(counter, 1);
}
