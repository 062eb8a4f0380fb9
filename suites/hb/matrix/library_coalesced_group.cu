// CLEAN. cooperative_groups: sync of the lanes that took a branch.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    if (threadIdx.x % 2 == 0) {
        cg::coalesced_group even = cg::coalesced_threads();
        s[threadIdx.x] = threadIdx.x;
        even.sync();
        out[threadIdx.x] = s[30 - threadIdx.x];
    }
}
