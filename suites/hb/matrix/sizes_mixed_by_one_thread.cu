// CLEAN. Morally strong: "same thread": a thread may mix sizes as it likes.
//@ launch: mix<<<2, 32>>>(words: u64[64], out: u32[64])
#include "../support.h"

__global__ void mix(unsigned long long* words, unsigned* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    strong_store_u64(relaxed, gpu, &words[i], i);
    weak_store_as(u8, (char*)&words[i] + 5, 1);
    out[i] = strong_load(relaxed, gpu, (unsigned*)&words[i] + 1);
}
