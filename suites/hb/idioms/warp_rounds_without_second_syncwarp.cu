// RACY. Lanes hand values round in shared memory, with __syncwarp() between the write and the read of a pass, and none before the next write.
//@ launch: rounds<<<1, 32>>>(out: u32[32], passes = 5)
//@ groups: 1
//@ advice: put __syncwarp() at the end of the loop, before its next pass begins

__global__ void rounds(unsigned* out, unsigned passes) {
    __shared__ unsigned values[32];
    unsigned value = threadIdx.x;
    for (unsigned pass = 0; pass < passes; ++pass) {
        values[threadIdx.x] = value;  //~ race: warp-sync error (with line 12)
        __syncwarp();
        value = values[(threadIdx.x + 1) % 32] + 1;
    }
    out[threadIdx.x] = value;
}
