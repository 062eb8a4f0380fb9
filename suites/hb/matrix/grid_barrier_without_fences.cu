// RACY. The same grid barrier without its fences.
//@ launch: exchange<<<4, 64>>>(data: u32[256], count: u32[1], out: u32[256])
#include "../support.h"

__global__ void exchange(unsigned* data, unsigned* count, unsigned* out) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    weak_store(&data[i], i);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (strong_load(relaxed, gpu, count) != 4) {
        }
    }
    __syncthreads();
    out[i] = weak_load(&data[255 - i]);  //~ race: missing-fence error (with line 7)
}
