// RACY. A tree with a barrier before it only. Threads of one warp read what another warp adds up.
//@ launch: reduce<<<1, 128>>>(in: u32[128] = iota, out: u32[1])

__global__ void reduce(unsigned* in, unsigned* out) {
    __shared__ unsigned part[128];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int stride = 64; stride >= 32; stride /= 2) {
        if (threadIdx.x < stride) {
            part[threadIdx.x] += part[threadIdx.x + stride];  //~ race: missing-sync (with itself)
        }
    }
    if (threadIdx.x == 0) {
        *out = part[0];
    }
}
