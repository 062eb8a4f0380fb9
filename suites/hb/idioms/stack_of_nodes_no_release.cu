// RACY. A node is pushed by a relaxed compare-and-swap: its contents are not handed over.
//@ launch: push<<<2, 1>>>(head: u32[1], values: u32[2], out: u32[1])
#include "support/ptx.cuh"

__global__ void push(unsigned* head, unsigned* values, unsigned* out) {
    if (blockIdx.x == 1) {
        values[1] = 10;
        atomicExch(head, 1u);
    } else {
        unsigned node = load_acquire(head);
        while (node == 0) {
            node = load_acquire(head);
        }
        *out = values[node];  //~ race: missing-fence (with line 7)
    }
}
