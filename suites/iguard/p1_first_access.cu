// CLEAN. P1: the first access to a location is free of races, and every launch begins with nothing remembered.
//@ launch: first<<<4, 64>>>(data: u32[256])
//@ launch: second<<<4, 64>>>(data: u32[256])

__global__ void first(unsigned* data) {
    data[blockIdx.x * 64 + threadIdx.x] = 1;
}

__global__ void second(unsigned* data) {
    data[255 - blockIdx.x * 64 - threadIdx.x] = 2;
}
