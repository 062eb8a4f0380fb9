// CLEAN. "Through a chain of atomic read-modify-writes": another block's addition lies between release and
// acquire.
//@ launch: hand_over<<<3, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, gpu, flag, 1);
    } else if (blockIdx.x == 1) {
        while (atom_cas(relaxed, gpu, flag, 1, 2) != 1) {
        }
    } else {
        while (strong_load(acquire, gpu, flag) != 2) {
        }
        out[0] = weak_load(data);
    }
}
