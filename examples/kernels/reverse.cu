// CLEAN. Reverses the numbers of each block through shared memory; the barrier makes sure that a thread
// reads its number after another one has stored it. Try it: warpsan check examples/kernels/reverse.cu
//@ launch: reverse<<<2, 128>>>(numbers: f32[256] = iota)

__global__ void reverse(float* numbers) {
    __shared__ float tile[128];
    float* mine = numbers + blockIdx.x * 128;
    tile[threadIdx.x] = mine[threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = tile[127 - threadIdx.x];
}
