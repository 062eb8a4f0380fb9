// CLEAN. Launches of two streams write arrays: each launch has its own, even where the second takes the place of the first.
//@ launch: fill<<<1, 64, stream=1>>>(out: u32[64])
//@ launch: fill<<<1, 64, stream=2>>>(out: u32[64])

__global__ void fill(unsigned* out) {
    out[threadIdx.x] = threadIdx.x;
}
