// RACY. "Lanes of one warp are NOT ordered by being in one warp, and not by being converged": shared memory.
//@ launch: exchange<<<1, 32>>>(out: u32[32])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[threadIdx.x ^ 1];  //~ race: warp-sync error (with line 6)
}
