// CLEAN. Scope inclusion: ".sys = everything".
//@ launch: count<<<4, 32>>>(counter: u32[1])

__global__ void count(unsigned* counter) {
    atomicAdd_system(counter, 1);
}
