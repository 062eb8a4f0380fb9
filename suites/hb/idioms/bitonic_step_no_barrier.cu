// RACY. Two steps of a bitonic sort without the barrier between: the second step of one warp reads what the other exchanges.
//@ launch: sort<<<1, 128>>>(keys: u32[128] = iota)

__global__ void sort(unsigned* keys) {
    __shared__ unsigned part[128];
    unsigned t = threadIdx.x;
    part[t] = keys[127 - t];
    __syncthreads();
    // The first warp exchanges its words with the upper half; two other warps look at the result.
    if (t < 32) {
        unsigned low = part[t];
        part[t] = part[t + 64];
        part[t + 64] = low;
    } else if (t >= 96) {
        keys[t] = part[t - 32];  //~ race: missing-sync (with line 13)
    } else if (t >= 64) {
        keys[t] = part[t - 64];  //~ race: missing-sync (with line 12)
    }
}
