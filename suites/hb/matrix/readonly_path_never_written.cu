// CLEAN. The read-only path for what nobody writes.
//@ launch: look<<<2, 32>>>(in: u32[64] = iota, out: u32[64])

__global__ void look(const unsigned* __restrict__ in, unsigned* __restrict__ out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[63 - i] + __ldg(&in[i]);
}
