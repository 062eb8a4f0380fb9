// CLEAN. Values that go through registers need no order.
//@ launch: sum<<<1, 32>>>(out: u32[32])

__global__ void sum(unsigned* out) {
    unsigned value = threadIdx.x;
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, distance);
    }
    out[threadIdx.x] = value;
}
