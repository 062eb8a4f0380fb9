// RACY. The read-only path is "outside the model": even a thread's own write before it counts.
//@ launch: look<<<1, 32>>>(data: u32[32], out: u32[32])
#include "../support.h"

__global__ void look(unsigned* data, unsigned* out) {
    weak_store(&data[threadIdx.x], threadIdx.x);
    out[threadIdx.x] = __ldg(&data[threadIdx.x]);  //~ race: readonly-path error (with line 6)
}
