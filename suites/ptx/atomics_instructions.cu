// atom and red written out: every order, scope and state space, and the scope before or after the space.
//@ architectures: 70 75 80 90 90a 100 120
#include "support/launch.cuh"

__global__ void orders_and_scopes(int *p)
{
    int r, sum = 0;
#define ATOM(qualifiers) asm volatile("atom" qualifiers ".add.s32 %0, [%1], 1;" : "=r"(r) : "l"(p) : "memory"); sum += r;
    ATOM("") ATOM(".global") ATOM(".relaxed.cta") ATOM(".relaxed.gpu.global") ATOM(".relaxed.sys") ATOM(".acquire.cta.global")
    ATOM(".acquire.gpu") ATOM(".acquire.sys.global") ATOM(".release.cta") ATOM(".release.gpu.global") ATOM(".release.sys")
    ATOM(".acq_rel.cta.global") ATOM(".acq_rel.gpu") ATOM(".acq_rel.sys.global")
    ATOM(".global.gpu.acquire") ATOM(".global.sys") ATOM(".gpu") ATOM(".global.cta.relaxed")
#if __CUDA_ARCH__ >= 900
    ATOM(".relaxed.cluster") ATOM(".acquire.cluster.global") ATOM(".release.cluster") ATOM(".acq_rel.cluster.global")
#endif
    p[1] = sum;
#define RED(qualifiers) asm volatile("red" qualifiers ".add.s32 [%0], 1;" ::"l"(p) : "memory");
    RED("") RED(".global") RED(".relaxed.cta") RED(".relaxed.gpu.global") RED(".relaxed.sys") RED(".release.cta.global") RED(".release.gpu") RED(".release.sys.global")
    RED(".global.gpu.relaxed") RED(".gpu.global") RED(".sys")
#if __CUDA_ARCH__ >= 900
    RED(".relaxed.cluster.global") RED(".release.cluster")
#endif
}

__global__ void operations(unsigned *p, unsigned long long *w, int *s, long long *t)
{
    unsigned r, sum = 0;
    unsigned long long v, total = 0;
    int i;
    long long l;
#define B32(op) asm volatile("atom.global." op " %0, [%1+8], %2;" : "=r"(r) : "l"(p), "r"(7) : "memory"); sum += r; asm volatile("red.global." op " [%0+-4], %1;" ::"l"(p + 4), "r"(r) : "memory");
#define B64(op) asm volatile("atom.global." op " %0, [%1], %2;" : "=l"(v) : "l"(w), "l"(7ull) : "memory"); total += v; asm volatile("red.global." op " [%0+16], %1;" ::"l"(w), "l"(v) : "memory");
    B32("and.b32") B32("or.b32") B32("xor.b32") B32("add.u32") B32("inc.u32") B32("dec.u32") B32("min.u32") B32("max.u32")
    B64("and.b64") B64("or.b64") B64("xor.b64") B64("add.u64") B64("min.u64") B64("max.u64")
    asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(sum) : "memory"); sum += r;
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(p), "r"(sum), "r"(0) : "memory"); sum += r;
    asm volatile("atom.exch.b64 %0, [%1], %2;" : "=l"(v) : "l"(w), "l"(total) : "memory"); total += v;
    asm volatile("atom.acq_rel.gpu.cas.b64 %0, [%1], %2, %3;" : "=l"(v) : "l"(w), "l"(total), "l"(0ull) : "memory"); total += v;
    asm volatile("atom.min.s32 %0, [%1], -5;" : "=r"(i) : "l"(s) : "memory"); sum += i;
    asm volatile("atom.max.s32 %0, [%1], %2;" : "=r"(i) : "l"(s), "r"(i) : "memory"); sum += i;
    asm volatile("atom.min.s64 %0, [%1], -5;" : "=l"(l) : "l"(t) : "memory"); total += l;
    asm volatile("red.max.s64 [%0], %1;" ::"l"(t), "l"(l) : "memory");
    asm volatile("{.reg .u32 sink; atom.add.u32 sink, [%0], 3;}" ::"l"(p) : "memory");
    asm volatile("atom.add.u32 _, [%0], 3;" ::"l"(p) : "memory");
    unsigned short h;
    asm volatile("atom.cas.b16 %0, [%1], 1, 2;" : "=h"(h) : "l"(p) : "memory"); sum += h;
    p[0] = sum;
    w[0] = total;
}

__global__ void shared_space(unsigned *out)
{
    __shared__ unsigned cell[4];
    cell[threadIdx.x & 3] = 0;
    __syncthreads();
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(cell));
    unsigned r, sum = 0;
    asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(r) : "r"(address) : "memory"); sum += r;
    asm volatile("atom.shared::cta.inc.u32 %0, [%1+4], 9;" : "=r"(r) : "r"(address) : "memory"); sum += r;
    asm volatile("atom.relaxed.cta.shared.exch.b32 %0, [%1], %2;" : "=r"(r) : "r"(address), "r"(sum) : "memory"); sum += r;
    asm volatile("atom.shared.cta.acquire.cas.b32 %0, [%1+12], 0, 5;" : "=r"(r) : "r"(address) : "memory"); sum += r;
    asm volatile("red.shared.or.b32 [%0], 1;" ::"r"(address) : "memory");
    asm volatile("red.release.cta.shared::cta.max.u32 [%0+8], %1;" ::"r"(address), "r"(sum) : "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("{.reg .b32 remote; mapa.shared::cluster.u32 remote, %1, 0; atom.relaxed.cluster.shared::cluster.add.u32 %0, [remote], 1;}" : "=r"(r) : "r"(address) : "memory"); sum += r;
    asm volatile("red.release.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(address) : "memory");
#endif
    __syncthreads();
    out[threadIdx.x] = cell[threadIdx.x & 3] + sum;
}

// The 128-bit exchange and compare-and-swap, and 128-bit loads and stores with an order (sm_90; ld and st from sm_70).
__global__ void wide_as_128_bits(unsigned long long *p)
{
    unsigned long long low = 0, high = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("{.reg .b128 d, b; mov.b128 b, {%2, %3}; atom.global.b128.exch d, [%4], b; mov.b128 {%0, %1}, d;}" : "=l"(low), "=l"(high) : "l"(p[4]), "l"(p[5]), "l"(p) : "memory");
    asm volatile("{.reg .b128 d, b, c; mov.b128 b, {%2, %3}; mov.b128 c, {%3, %2}; atom.acquire.gpu.global.cas.b128 d, [%4], b, c; mov.b128 {%0, %1}, d;}"
                 : "=l"(low), "=l"(high) : "l"(low), "l"(high), "l"(p) : "memory");
#endif
    asm volatile("{.reg .b128 d; ld.relaxed.gpu.global.b128 d, [%2]; mov.b128 {%0, %1}, d; st.relaxed.sys.global.b128 [%2+16], d;}" : "=l"(low), "=l"(high) : "l"(p) : "memory");
    p[6] = low + high;
}

#ifndef __CUDACC_RTC__
int main()
{
    int *p = corpus::device_array<int>(64);
    orders_and_scopes<<<1, 32>>>(p);
    const int first = corpus::read_back(p);
    operations<<<1, 32>>>(corpus::device_array<unsigned>(64), corpus::device_array<unsigned long long>(64), p, corpus::device_array<long long>(64));
    shared_space<<<1, 32>>>(corpus::device_array<unsigned>(64));
    wide_as_128_bits<<<1, 1>>>(corpus::device_array<unsigned long long>(64));
    // 18 + 11 additions by each thread, and 4 + 2 more of cluster scope.
    return corpus::finish("atomics_instructions", first == 32 * (corpus::device_has(90) ? 35 : 29));
}
#endif
