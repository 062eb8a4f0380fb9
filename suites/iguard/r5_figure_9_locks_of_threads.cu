// R5, figure 9 of the paper: lanes take locks of their own, two at a time, and update what the warp shares. Those that
// hold a lock at the same time are in lockstep (P4); those that come later hold another lock.
//@ launch: add<<<1, 32>>>(locks: u32[64], data: u32[1])
#include "support.h"

__global__ void add(unsigned* locks, unsigned* data) {
    unsigned* lock = locks + threadIdx.x % 2 * 33;
    bool done = false;
    while (!done) {
        if (atom_cas(relaxed, gpu, lock, 0, 1) == 0) {
            fence(acq_rel, gpu);
            unsigned sum = weak_load(data) + 1;  //~ [iguard] race: lock error (with line 13)  //~ [hb] race: lock error (with line 13)
            weak_store(data, sum);  //~ [hb] race: lock error (with itself)
            fence(acq_rel, gpu);
            atom_exch(relaxed, gpu, lock, 0);
            done = true;
        }
    }
}
