// The work of `cargo xtask bench engine`: streams through global memory, a tile in shared memory, barriers.
//@ launch: blur<<<256, 256>>>(in: f32[65536] = iota, out: f32[65536], rounds = 64)

__global__ void blur(const float* in, float* out, int rounds) {
    __shared__ float tile[256];
    int thread = threadIdx.x;
    int i = blockIdx.x * 256 + thread;
    tile[thread] = in[i];
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        float sum = tile[(thread + 255) % 256] + tile[thread] + tile[(thread + 1) % 256];
        __syncthreads();
        tile[thread] = sum / 3.0f;
        out[i] = tile[thread];
        __syncthreads();
    }
}
