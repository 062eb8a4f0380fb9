// CLEAN. Three stages of cp.async: with the third buffer one barrier in each step is enough.
//@ launch: stream<<<1, 64>>>(in: u32[384] = iota, out: u32[384])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[3][64];
    for (int step = 0; step <= 6; ++step) {
        if (step < 6) {
            COPY_ASYNC_4(&buffer[step % 3][threadIdx.x], in + step * 64 + threadIdx.x);
        }
        copy_commit();
        if (step > 0) {
            copy_wait_group<1>();
            __syncthreads();
            out[(step - 1) * 64 + threadIdx.x] = buffer[(step - 1) % 3][63 - threadIdx.x];
        }
    }
}
