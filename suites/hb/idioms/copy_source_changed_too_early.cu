// RACY. The source of a copy is written again before the copy was waited for.
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[64];
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);
    in[threadIdx.x] = 0;  //~ race: async (with line 7)
    copy_wait_all();
    out[threadIdx.x] = buffer[threadIdx.x];
}
