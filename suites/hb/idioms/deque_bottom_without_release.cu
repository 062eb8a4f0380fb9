// RACY. The owner moves the bottom with a relaxed store: thieves take tasks that were not handed over.
//@ launch: steal<<<2, 1>>>(top: u32[1], bottom: u32[1], tasks: u32[8], done: u32[8])
#include "support/ptx.cuh"

__global__ void steal(unsigned* top, unsigned* bottom, unsigned* tasks, unsigned* done) {
    if (blockIdx.x == 0) {
        for (unsigned task = 0; task < 8; ++task) {
            tasks[task] = task * 3;
            store_relaxed(bottom, task + 1);
        }
    } else {
        while (true) {
            unsigned first = load_acquire(top);
            if (first == 8) {
                break;
            }
            if (first < load_acquire(bottom) && atomicAdd(top, 1u) == first) {
                done[first] = tasks[first] + 1;  //~ race: missing-fence (with line 8)
            }
        }
    }
}
