// RACY. Without the second barrier thread 0 draws the next chunk while other warps still read the number of this one.
//@ launch: work<<<1, 64>>>(next: u32[1], out: u32[256])

__global__ void work(unsigned* next, unsigned* out) {
    __shared__ unsigned chunk;
    for (int round = 0; round < 4; ++round) {
        if (threadIdx.x == 0) {
            chunk = atomicAdd(next, 64u);
        }
        __syncthreads();
        if (threadIdx.x >= 32) {
            out[chunk + threadIdx.x] = threadIdx.x;  //~ race: missing-sync (with line 8)
        }
    }
}
