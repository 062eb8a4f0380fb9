// CLEAN. Flags, blocks: the reader says that it has read, and only then the word is written again.
//@ launch: flag_answered<<<2, 1>>>(data: u32[1], flags: u32[2], out: u32[2])
#include "support.h"

__global__ void flag_answered(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        strong_store(relaxed, gpu, flags, 1);
        while (strong_load(relaxed, gpu, flags + 1) == 0) {
        }
        __threadfence();
        out[0] = 1;
        weak_store(data, 2);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "Release synchronizes with acquire"
    } else {
        while (strong_load(relaxed, gpu, flags) == 0) {
        }
        __threadfence();
        out[1] = weak_load(data);
        __threadfence();
        strong_store(relaxed, gpu, flags + 1, 1);
    }
}
