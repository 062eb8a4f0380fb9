// RACY. A weak load races with an atomic that is not ordered with it.
//@ launch: count<<<2, 1>>>(counter: u32[1], out: u32[1])

__global__ void count(unsigned* counter, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 3u);
    } else {
        *out = *counter;  //~ race: missing-sync (with line 6)
    }
}
