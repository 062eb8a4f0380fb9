// RACY. Without the barrier at the end of a step a thread starts the next copy into a buffer that others still read.
//@ launch: stream<<<1, 64>>>(in: u32[256] = iota, out: u32[256])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[2][64];
    for (int step = 0; step <= 4; ++step) {
        if (step < 4) {
            COPY_ASYNC_4(&buffer[step % 2][threadIdx.x], in + step * 64 + threadIdx.x);
        }
        copy_commit();
        if (step > 0) {
            copy_wait_group<1>();
            __syncthreads();
            out[(step - 1) * 64 + threadIdx.x] = buffer[(step - 1) % 2][63 - threadIdx.x];  //~ race: async (with line 9)
        }
    }
}
