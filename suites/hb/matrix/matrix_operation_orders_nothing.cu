// RACY. "NOT an order: mma .sync": a matrix product between the store and the reads.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    float a = 0, b = 0, c = 0, d = 0;
    unsigned zero = 0;
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};"
        : "+f"(a), "+f"(b), "+f"(c), "+f"(d)
        : "r"(zero)
        : "memory");
    unsigned other = weak_load(&s[threadIdx.x ^ 1]);  //~ race: warp-sync error (with line 7)
    out[threadIdx.x] = other + (unsigned)(a + b + c + d);
}
