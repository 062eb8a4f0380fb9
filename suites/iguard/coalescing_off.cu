// R2: without coalescing every lane is checked, and the last one is remembered.
//@ flags: --iguard-coalescing=off
//@ launch: update<<<1, 32>>>(data: u32[1])
#include "support.h"

__global__ void update(unsigned* data) {
    atom_add(relaxed, gpu, data, 1);
    if (threadIdx.x == 0) {
        weak_store(data, 0);  //~ [iguard] race: warp-sync error (with line 7)  //~ [hb] race: warp-sync error (with line 7)
    }
}
