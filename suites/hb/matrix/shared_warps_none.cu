// RACY. "No ordering at all between two threads of one block": two warps, shared memory.
//@ launch: exchange<<<1, 64>>>(out: u32[64])

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[threadIdx.x ^ 32];  //~ race: missing-sync error (with line 6)
}
