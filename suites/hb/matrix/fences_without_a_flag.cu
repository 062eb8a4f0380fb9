// RACY. Fences order nothing between threads that never observe each other.
//@ launch: exchange<<<1, 64>>>(data: u32[64], out: u32[64])

__global__ void exchange(unsigned* data, unsigned* out) {
    data[threadIdx.x] = threadIdx.x;
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x ^ 32];  //~ race: missing-sync error (with line 5)
}
