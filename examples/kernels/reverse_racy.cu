// RACY. Reverses the numbers of each block through shared memory, without waiting for the other threads.
// Try it: warpsan check examples/kernels/reverse_racy.cu
//@ launch: reverse<<<2, 128>>>(numbers: f32[256] = iota)

__global__ void reverse(float* numbers) {
    __shared__ float tile[128];
    float* mine = numbers + blockIdx.x * 128;
    tile[threadIdx.x] = mine[threadIdx.x];
    // Here a __syncthreads() is missing.
    mine[threadIdx.x] = tile[127 - threadIdx.x];
}

//~ line 10: [hb] race: missing-sync (with line 8)
//~ line 10: [barracuda] race: missing-sync (with line 8) by barracuda READEXCL
