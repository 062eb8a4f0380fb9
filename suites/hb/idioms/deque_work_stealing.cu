// CLEAN. The owner publishes its tasks with release; thieves acquire, and take each task once by a compare-and-swap.
//@ launch: steal<<<3, 1>>>(top: u32[1], bottom: u32[1], tasks: u32[8], done: u32[8])
#include "support/ptx.cuh"

__global__ void steal(unsigned* top, unsigned* bottom, unsigned* tasks, unsigned* done) {
    if (blockIdx.x == 0) {
        for (unsigned task = 0; task < 8; ++task) {
            tasks[task] = task * 3;
            store_release(bottom, task + 1);
        }
    } else {
        for (unsigned first = load_relaxed(top); first < 8; first = load_relaxed(top)) {
            if (first < load_acquire(bottom) && atomicCAS(top, first, first + 1) == first) {
                done[first] = tasks[first] + 1;
            }
        }
    }
}
