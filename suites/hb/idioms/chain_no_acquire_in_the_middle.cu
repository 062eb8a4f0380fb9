// RACY. The block in the middle releases, but has acquired nothing.
//@ launch: pass_on<<<3, 1>>>(flags: u32[2], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void pass_on(unsigned* flags, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_release(flags, 1);
    } else if (blockIdx.x == 1) {
        while (load_relaxed(flags) == 0) {
        }
        store_release(flags + 1, 1);
    } else {
        while (load_acquire(flags + 1) == 0) {
        }
        *out = *data;  //~ race: missing-fence (with line 7)
    }
}
