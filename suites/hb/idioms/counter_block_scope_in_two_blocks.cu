// RACY. Block-scope atomics from two blocks race.
//@ launch: count<<<2, 1>>>(counter: u32[1])

__global__ void count(unsigned* counter) {
    atomicAdd_block(counter, blockIdx.x + 1);  //~ race: scope (with itself)
}
