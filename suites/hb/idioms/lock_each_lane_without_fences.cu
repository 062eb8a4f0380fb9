// RACY. Lanes of one warp take one lock without fences; being in one warp orders nothing either.
//@ launch: add<<<1, 32>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            *total = *total + threadIdx.x + 1;  //~ race: missing-fence (with itself)
            atomicExch(lock, 0u);
            done = true;
        }
    }
}
