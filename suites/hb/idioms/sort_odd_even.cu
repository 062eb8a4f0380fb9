// CLEAN. Odd-even transposition sort; each step exchanges disjoint pairs, with a barrier between the steps.
//@ launch: sort<<<1, 64>>>(keys: u32[64] = random)

__global__ void sort(unsigned* keys) {
    __shared__ unsigned part[64];
    unsigned t = threadIdx.x;
    part[t] = keys[t] % 1000;
    __syncthreads();
    for (unsigned step = 0; step < 64; ++step) {
        if (t % 2 == step % 2 && t + 1 < 64 && part[t] > part[t + 1]) {
            unsigned kept = part[t];
            part[t] = part[t + 1];
            part[t + 1] = kept;
        }
        __syncthreads();
    }
    keys[t] = part[t];
}
