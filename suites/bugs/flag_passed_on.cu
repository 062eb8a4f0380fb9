// CLEAN. Flags, blocks: a block in the middle hands on what it was handed.
//@ launch: flag_passed_on<<<3, 1>>>(data: u32[1], flags: u32[2], out: u32[2])
#include "support.h"

__global__ void flag_passed_on(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        strong_store(relaxed, gpu, flags, 1);
    } else if (blockIdx.x == 1) {
        while (strong_load(relaxed, gpu, flags) == 0) {
        }
        __threadfence();
        out[0] = weak_load(data);
        __threadfence();
        strong_store(relaxed, gpu, flags + 1, 1);
    } else {
        while (strong_load(relaxed, gpu, flags + 1) == 0) {
        }
        __threadfence();
        out[1] = weak_load(data);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "Release synchronizes with acquire"
    }
}
