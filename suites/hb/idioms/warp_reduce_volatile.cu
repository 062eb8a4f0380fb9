// RACY. The reduction of old in volatile memory: lanes that rely on lockstep, which volatile does not bring back.
//@ launch: reduce<<<1, 32>>>(in: u32[32] = iota, out: u32[1])

__global__ void reduce(unsigned* in, unsigned* out) {
    __shared__ volatile unsigned part[64];
    part[threadIdx.x] = in[threadIdx.x];
    part[threadIdx.x + 32] = 0;
    __syncwarp();
    for (int stride = 16; stride > 0; stride /= 2) {
        part[threadIdx.x] += part[threadIdx.x + stride];  //~ race: warp-sync error (with itself)
    }
    if (threadIdx.x == 0) {
        *out = part[0];
    }
}
