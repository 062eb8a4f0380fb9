// CLEAN. Branches: lanes write cells of their own on two paths, and read those of the other path where the paths have joined.
//@ launch: branch_two_paths_then_exchange<<<1, 32>>>(in: u32[32] = iota, out: u32[32])
#include "support.h"

__global__ void branch_two_paths_then_exchange(unsigned* in, unsigned* out) {
    __shared__ unsigned cells[32];
    if (threadIdx.x < 16) {
        weak_store(&cells[threadIdx.x], 1);  //~ [curd] race: warp-sync warning (with line 12) by curd intra-block  //~ [hb] race: warp-sync error (with line 12) by hb "not by being converged"
    } else {
        weak_store(&cells[threadIdx.x], weak_load(in + threadIdx.x));  //~ [curd] race: warp-sync warning (with line 12) by curd intra-block  //~ [hb] race: warp-sync error (with line 12) by hb "not by being converged"
    }
    out[threadIdx.x] = weak_load(&cells[threadIdx.x ^ 16]);  //~ [barracuda] clean by barracuda ELSEENDIF
}
