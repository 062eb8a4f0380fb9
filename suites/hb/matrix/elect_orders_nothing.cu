// RACY. "NOT an order: elect.sync": the elected lane reads what the others have stored.
//@ launch: collect<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void collect(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    unsigned elected;
    asm volatile(
        "{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(elected)::"memory");
    if (elected) {
        for (int i = 0; i < 32; i++) {
            out[i] = weak_load(&s[i]);  //~ race: warp-sync error (with line 7)
        }
    }
}
