// CLEAN. "Overlap is by byte range": bytes 0 and 1 against byte 2 and byte 3 of one word.
//@ launch: mix<<<4, 1>>>(word: u32[1], out: u32[4])
#include "../support.h"

__global__ void mix(unsigned* word, unsigned* out) {
    char* bytes = (char*)word;
    switch (blockIdx.x) {
        case 0: weak_store_as(u16, bytes, 7); break;
        case 1: weak_store_as(u8, bytes + 2, 7); break;
        case 2: out[2] = weak_load_as(u8, bytes + 3); break;
        default: out[3] = weak_load_as(u8, bytes + 3);
    }
}
