// CLEAN. red without qualifiers is relaxed at device scope.
//@ launch: count<<<4, 64>>>(counter: u32[1])

__global__ void count(unsigned* counter) {
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
