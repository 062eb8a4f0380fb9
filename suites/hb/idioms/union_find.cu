// CLEAN. Union by compare-and-swap, roots found by relaxed loads: strong accesses only.
//@ launch: unite<<<2, 32>>>(parent: u32[64], out: u32[64])
#include "support/ptx.cuh"

__device__ unsigned find(unsigned* parent, unsigned x) {
    for (unsigned up = load_relaxed(parent + x); up != 0; up = load_relaxed(parent + x)) {
        x = up - 1;
    }
    return x;
}

// A root has parent 0; else the parent is stored plus one. Links go from larger to smaller numbers.
__global__ void unite(unsigned* parent, unsigned* out) {
    unsigned a = blockIdx.x * 32 + threadIdx.x, b = a / 2;
    while (true) {
        unsigned low = find(parent, a), high = find(parent, b);
        if (low == high) {
            break;
        }
        if (low > high) {
            unsigned kept = low;
            low = high;
            high = kept;
        }
        if (atomicCAS(parent + high, 0u, low + 1) == 0u) {
            break;
        }
    }
    out[a] = find(parent, a);
}
