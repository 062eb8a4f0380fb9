// RACY. cp.async is not ordered before the later instructions of its own thread.
//@ launch: stream<<<1, 64>>>(in: u32[256] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[256];
    COPY_ASYNC_16(buffer + threadIdx.x * 4, in + threadIdx.x * 4);
    out[threadIdx.x] = buffer[threadIdx.x * 4 + 3];  //~ race: async (with line 7)
    copy_wait_all();
}
