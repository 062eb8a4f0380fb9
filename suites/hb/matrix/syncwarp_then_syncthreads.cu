// CLEAN. Warp and block barriers together: sums of warps through shared memory.
//@ launch: sum<<<1, 128>>>(out: u32[1])

__global__ void sum(unsigned* out) {
    __shared__ unsigned s[128];
    __shared__ unsigned of_warp[4];
    unsigned lane = threadIdx.x % 32;
    s[threadIdx.x] = threadIdx.x;
    for (int stride = 16; stride > 0; stride /= 2) {
        __syncwarp();
        if (lane < stride) {
            s[threadIdx.x] += s[threadIdx.x + stride];
        }
    }
    if (lane == 0) {
        of_warp[threadIdx.x / 32] = s[threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
    }
}
