// RACY. The reader says by a relaxed store that it has read: its read is not ordered before the next letter.
//@ launch: mailbox<<<2, 1>>>(full: u32[1], read: u32[1], box: u32[1], out: u32[4])
#include "support/ptx.cuh"

__global__ void mailbox(unsigned* full, unsigned* read, unsigned* box, unsigned* out) {
    for (unsigned letter = 1; letter <= 4; ++letter) {
        if (blockIdx.x == 0) {
            while (load_acquire(read) != letter - 1) {
            }
            *box = letter * 10;
            store_release(full, letter);
        } else {
            while (load_acquire(full) != letter) {
            }
            out[letter - 1] = *box;  //~ race: missing-fence (with line 10)
            store_relaxed(read, letter);
        }
    }
}
