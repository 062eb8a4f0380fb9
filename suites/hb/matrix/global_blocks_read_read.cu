// CLEAN. "Race: at least one a write": all blocks read the same words.
//@ launch: sum<<<4, 32>>>(data: u32[32] = iota, out: u32[128])

__global__ void sum(unsigned* data, unsigned* out) {
    out[blockIdx.x * 32 + threadIdx.x] = data[threadIdx.x] + data[31 - threadIdx.x];
}
