// CLEAN. The counter is read by an atomic, too.
//@ launch: count<<<2, 1>>>(counter: u32[1], out: u32[2])

__global__ void count(unsigned* counter, unsigned* out) {
    atomicAdd(counter, blockIdx.x + 1);
    out[blockIdx.x] = atomicAdd(counter, 0u);
}
