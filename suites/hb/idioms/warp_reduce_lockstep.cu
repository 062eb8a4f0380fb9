// RACY. The reduction of old, which relies on lockstep.
//@ launch: reduce<<<1, 32>>>(in: u32[32] = iota, out: u32[1])

__global__ void reduce(unsigned* in, unsigned* out) {
    __shared__ unsigned part[64];
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
