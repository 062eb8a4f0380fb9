// CLEAN. Blocks draw the next index from an atomic counter: each index is drawn once.
//@ launch: work<<<3, 32>>>(next: u32[1], in: u32[100] = iota, out: u32[100])

__global__ void work(unsigned* next, unsigned* in, unsigned* out) {
    for (unsigned i = atomicAdd(next, 1u); i < 100; i = atomicAdd(next, 1u)) {
        out[i] = in[i] * in[i];
    }
}
