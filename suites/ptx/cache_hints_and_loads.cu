// Loads and stores with cache operators, eviction priorities, prefetch sizes, policies; __ldg, prefetch, discard.
#include "support/launch.cuh"

template <typename T> __global__ void intrinsics(T *__restrict__ out, const T *__restrict__ in)
{
    const int i = threadIdx.x;
    __stwb(out + i, __ldg(in + i));
    __stcg(out + i + 32, __ldcg(in + i));
    __stcs(out + i + 64, __ldcs(in + i));
    __stwt(out + i + 96, __ldca(in + i));
    out[i + 128] = __ldlu(in + i);
    out[i + 160] = __ldcv(in + i);
}

template __global__ void intrinsics<char>(char *, const char *);
template __global__ void intrinsics<unsigned short>(unsigned short *, const unsigned short *);
template __global__ void intrinsics<int>(int *, const int *);
template __global__ void intrinsics<unsigned long long>(unsigned long long *, const unsigned long long *);
template __global__ void intrinsics<float>(float *, const float *);
template __global__ void intrinsics<double>(double *, const double *);
template __global__ void intrinsics<char4>(char4 *, const char4 *);
template __global__ void intrinsics<short2>(short2 *, const short2 *);
template __global__ void intrinsics<int4>(int4 *, const int4 *);
template __global__ void intrinsics<float2>(float2 *, const float2 *);
template __global__ void intrinsics<double2>(double2 *, const double2 *);
template __global__ void intrinsics<ulonglong2>(ulonglong2 *, const ulonglong2 *);

__global__ void restricted(float *__restrict__ out, const float *__restrict__ a, const int4 *__restrict__ b)
{
    out[threadIdx.x] = a[threadIdx.x] * a[threadIdx.x + 1] + static_cast<float>(b[threadIdx.x].z);
}

__global__ void operators(unsigned *out, const unsigned *in, unsigned long long *wide)
{
    unsigned r, sum = 0;
    unsigned long long w;
#define LOAD(q) asm volatile("ld" q ".u32 %0, [%1];" : "=r"(r) : "l"(in) : "memory"); sum += r;
#define STORE(q) asm volatile("st" q ".u32 [%0], %1;" ::"l"(out), "r"(sum) : "memory");
    LOAD(".global") LOAD(".global.ca") LOAD(".global.cg") LOAD(".global.cs") LOAD(".global.lu") LOAD(".global.cv") LOAD(".ca") LOAD(".global.nc") LOAD(".global.ca.nc")
    STORE(".global") STORE(".global.wb") STORE(".global.cg") STORE(".global.cs") STORE(".global.wt") STORE(".wb")
    asm volatile("ldu.global.u32 %0, [%1];" : "=r"(r) : "l"(in)); sum += r;
    asm volatile("prefetch.global.L1 [%0]; prefetch.global.L2 [%0+128]; prefetch.L1 [%0]; prefetchu.L1 [%0];" ::"l"(in));
    asm volatile("ld.global.b8 %0, [%1]; st.global.b8 [%1+1], %0;" : "=r"(r) : "l"(out) : "memory"); sum += r;
    asm volatile("ld.global.s8 %0, [%1];" : "=r"(r) : "l"(in)); sum += r;
    asm volatile("ld.global.u16 %0, [%1+2];" : "=r"(r) : "l"(in)); sum += r;
    asm volatile("ld.global.v4.u8 {%0, %1, %2, %3}, [%4];" : "=r"(r), "=r"(sum), "=r"(r), "=r"(sum) : "l"(in)); sum += r;
    asm volatile("st.global.v2.u16 [%0], {%1, %2};" ::"l"(out), "h"(static_cast<short>(r)), "h"(static_cast<short>(sum)) : "memory");
    asm volatile("ld.v2.u64 {%0, %1}, [%2];" : "=l"(w), "=l"(wide[4]) : "l"(wide));
    wide[0] = w;
#if __CUDA_ARCH__ >= 700
    LOAD(".global.L1::evict_normal") LOAD(".global.L1::evict_unchanged") LOAD(".global.L1::evict_first") LOAD(".global.L1::evict_last") LOAD(".global.L1::no_allocate")
    LOAD(".global.nc.L1::evict_last") STORE(".global.L1::no_allocate") STORE(".global.L1::evict_first")
#endif
#if __CUDA_ARCH__ >= 750
    LOAD(".global.L2::64B") LOAD(".global.L2::128B") LOAD(".global.L1::no_allocate.L2::128B") LOAD(".global.nc.L1::evict_first.L2::64B")
#endif
#if __CUDA_ARCH__ >= 800
    unsigned long long policy;
    LOAD(".global.L2::256B") LOAD(".relaxed.gpu.global.L1::evict_last.L2::256B")
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.25;" : "=l"(policy));
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, %1;" : "=l"(policy) : "f"(0.5f));
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 0x1000, %2;" : "=l"(policy) : "l"(in), "r"(0x2000));
    asm volatile("createpolicy.cvt.L2.b64 %0, 0x10F0000000000000;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(r) : "l"(in), "l"(policy)); sum += r;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r), "=r"(sum), "=r"(r), "=r"(sum) : "l"(in), "l"(policy)); sum += r;
    asm volatile("st.global.L2::cache_hint.v2.u32 [%0], {%1, %1}, %2;" ::"l"(out), "r"(r), "l"(policy) : "memory");
    asm volatile("atom.global.add.L2::cache_hint.u32 %0, [%1], 1, %2;" : "=r"(r) : "l"(out), "l"(policy) : "memory");
    asm volatile("red.global.add.L2::cache_hint.u32 [%0], 1, %1;" ::"l"(out), "l"(policy) : "memory");
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in));
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(out) : "memory");
    asm volatile("prefetch.global.L2::evict_last [%0]; prefetch.global.L2::evict_normal [%0];" ::"l"(in));
#endif
#if __CUDA_ARCH__ >= 1000
    unsigned v[8];
    asm volatile("ld.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7]) : "l"(in));
    asm volatile("st.global.L2::evict_first.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(out), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7]) : "memory");
    asm volatile("ld.global.nc.L2::evict_last.v4.b64 {%0, %1, _, _}, [%2];" : "=l"(wide[1]), "=l"(wide[2]) : "l"(wide));
#endif
    out[1] = sum;
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(256);
    intrinsics<<<1, 32>>>(out, static_cast<const int *>(corpus::device_array<int>(256)));
    restricted<<<1, 32>>>(corpus::device_array<float>(64), corpus::device_array<float>(64), corpus::device_array<int4>(64));
    return corpus::finish("cache_hints_and_loads", corpus::read_back(out) == 0);
}
#endif
