// Loads, stores and fences with an order and a scope, volatile and mmio accesses, and the proxy fences.
//@ architectures: 70 75 80 90 90a 100 120
#include "support/launch.cuh"

__global__ void loads_and_stores(int *p)
{
    int r, sum = 0;
#define LOAD(qualifiers) asm volatile("ld" qualifiers ".s32 %0, [%1];" : "=r"(r) : "l"(p) : "memory"); sum += r;
#define STORE(qualifiers) asm volatile("st" qualifiers ".s32 [%0], %1;" ::"l"(p), "r"(sum) : "memory");
    LOAD("") LOAD(".weak") LOAD(".volatile") LOAD(".volatile.global") LOAD(".relaxed.cta") LOAD(".relaxed.gpu.global") LOAD(".relaxed.sys")
    LOAD(".acquire.cta.global") LOAD(".acquire.gpu") LOAD(".acquire.sys.global") LOAD(".mmio.relaxed.sys.global") LOAD(".weak.global.ca")
    STORE("") STORE(".weak.global") STORE(".volatile") STORE(".volatile.global") STORE(".relaxed.cta.global") STORE(".relaxed.gpu") STORE(".relaxed.sys.global")
    STORE(".release.cta") STORE(".release.gpu.global") STORE(".release.sys") STORE(".mmio.relaxed.sys.global")
#if __CUDA_ARCH__ >= 900
    LOAD(".relaxed.cluster.global") LOAD(".acquire.cluster") STORE(".relaxed.cluster") STORE(".release.cluster.global")
#endif
    p[1] = sum;
}

__global__ void vectors_with_order(int4 *p)
{
    int4 v;
    asm volatile("ld.volatile.global.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    asm volatile("ld.relaxed.gpu.v2.b64 {%0, %1}, [%2+16];" : "=l"(reinterpret_cast<long long &>(v.x)), "=l"(reinterpret_cast<long long &>(v.z)) : "l"(p) : "memory");
    asm volatile("st.release.sys.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
    asm volatile("st.relaxed.gpu.v2.f32 [%0+32], {%1, 0f00000000};" ::"l"(p), "f"(__int_as_float(v.x)) : "memory");
}

__global__ void fences(int *p)
{
    asm volatile("membar.cta;" ::: "memory");
    asm volatile("membar.gl;" ::: "memory");
    asm volatile("membar.sys;" ::: "memory");
    asm volatile("fence.sc.cta; fence.sc.gpu; fence.sc.sys;" ::: "memory");
    asm volatile("fence.acq_rel.cta; fence.acq_rel.gpu; fence.acq_rel.sys;" ::: "memory");
    asm volatile("fence.gpu;" ::: "memory");
    asm volatile("fence.proxy.alias;" ::: "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.sc.cluster; fence.acq_rel.cluster; fence.cluster;" ::: "memory");
    asm volatile("fence.acquire.cluster; fence.release.gpu; fence.acquire.sys; fence.release.cta;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("fence.proxy.async.global; fence.proxy.async.shared::cta; fence.proxy.async.shared::cluster;" ::: "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(p) : "memory");
    asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
    asm volatile("fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
    asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
    asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
#endif
    p[0] = 1;
}

__global__ void intrinsics(volatile int *flag, int *data)
{
    if (threadIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else if (threadIdx.x == 32) {
        while (*flag == 0) {
        }
        __threadfence_block();
        data[1] = data[0];
        __threadfence_system();
    }
}

#ifndef __CUDACC_RTC__
int main()
{
    int *p = corpus::device_array<int>(64);
    loads_and_stores<<<1, 32>>>(p);
    vectors_with_order<<<1, 1>>>(corpus::device_array<int4>(16));
    int *data = corpus::device_array<int>(4);
    intrinsics<<<1, 64>>>(p + 16, data);
    return corpus::finish("memory_order_instructions", corpus::read_back(data, 1) == 42);
}
#endif
