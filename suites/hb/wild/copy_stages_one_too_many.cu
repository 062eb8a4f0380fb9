// RACY. Three stages are in flight, and the wait leaves three of them pending: the one that is read may be among them.
//@ launch: scale<<<2, 64>>>(in: u32[1024] = iota, out: u32[1024])
//@ groups: 1
//@ advice: wait for all groups up to that of the copy before the other access: cp.async.wait_group (__pipeline_wait_prior) with a smaller number
#include <cuda_pipeline.h>

constexpr int stages = 3, steps = 8;

__global__ void scale(const unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[stages][64];
    in += blockIdx.x * steps * 64;
    out += blockIdx.x * steps * 64;
    for (int step = -stages + 1; step < steps; ++step) {
        if (int next = step + stages - 1; next < steps) {
            __pipeline_memcpy_async(&buffer[next % stages][threadIdx.x], &in[next * 64 + threadIdx.x], 4);  //~ race: async error (with itself)
        }
        __pipeline_commit();
        if (step >= 0) {
            __pipeline_wait_prior(3);
            out[step * 64 + threadIdx.x] = 2 * buffer[step % stages][threadIdx.x];  //~ race: async error (with line 15)
        }
    }
}
