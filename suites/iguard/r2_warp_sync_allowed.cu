// R2: --warp-sync says what to do with races inside of a warp; other races are not touched by it.
//@ flags: --warp-sync=allow
//@ launch: reduce<<<2, 32>>>(data: u32[32])
#include "support.h"

__global__ void reduce(unsigned* data) {
    if (blockIdx.x == 0 && threadIdx.x < 2) {
        weak_store(data + threadIdx.x, 1);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        weak_store(data, weak_load(data + 1));
    }
    if (threadIdx.x == 5) {
        weak_store(data + 8, blockIdx.x);  //~ race: missing-sync error (with itself)
    }
}
