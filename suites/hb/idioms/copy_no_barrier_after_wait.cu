// RACY. wait_group is for the thread's own copies; what others copied needs a barrier, too.
//@ launch: stream<<<1, 64>>>(in: u32[128] = iota, out: u32[128])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[2][64];
    for (int step = 0; step <= 2; ++step) {
        if (step < 2) {
            COPY_ASYNC_4(&buffer[step % 2][threadIdx.x], in + step * 64 + threadIdx.x);
        }
        copy_commit();
        if (step > 0) {
            copy_wait_group<1>();
            out[(step - 1) * 64 + threadIdx.x] = buffer[(step - 1) % 2][63 - threadIdx.x];  //~ race: async (with line 9)
            __syncthreads();
        }
    }
}
