// Multicast memory (multimem), and cluster launch control of sm_100 for work stealing.
//@ architectures: 90 90a 100 100a 120
#include <cuda/ptx>

#include "support/launch.cuh"

namespace ptx = cuda::ptx;

__global__ void multimem(float *address, int *whole, unsigned *out, double *wide)
{
    float f, g, h, k;
    unsigned a, b, c, d;
    int n;
    double x;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(f) : "l"(address) : "memory");
    asm volatile("multimem.ld_reduce.global.add.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(f), "=f"(g), "=f"(h), "=f"(k) : "l"(address) : "memory");
    asm volatile("multimem.ld_reduce.acquire.gpu.global.min.s32 %0, [%1];" : "=r"(n) : "l"(whole) : "memory");
    asm volatile("multimem.ld_reduce.weak.global.and.b32 %0, [%1];" : "=r"(a) : "l"(whole) : "memory");
    asm volatile("multimem.ld_reduce.relaxed.cluster.global.add.acc::f32.v4.f16x2 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(address) : "memory");
    asm volatile("multimem.ld_reduce.relaxed.gpu.global.max.v2.bf16x2 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(address) : "memory");
    asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.f64 %0, [%1];" : "=d"(x) : "l"(wide) : "memory");
    asm volatile("multimem.st.release.sys.global.f32 [%0], %1;" ::"l"(address), "f"(f) : "memory");
    asm volatile("multimem.st.weak.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(f), "f"(g), "f"(h), "f"(k) : "memory");
    asm volatile("multimem.st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(wide), "d"(x) : "memory");
    asm volatile("multimem.red.release.gpu.global.add.u32 [%0], %1;" ::"l"(whole), "r"(1) : "memory");
    asm volatile("multimem.red.relaxed.sys.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(f), "f"(g), "f"(h), "f"(k) : "memory");
    asm volatile("multimem.red.global.or.b64 [%0], %1;" ::"l"(wide), "l"(5ull) : "memory");
    asm volatile("multimem.red.relaxed.cta.global.max.v4.f16x2 [%0], {%1, %1, %1, %1};" ::"l"(address), "r"(a) : "memory");
    out[0] = a + b + c + d + static_cast<unsigned>(n) + __float_as_uint(f + g + h + k);
    ptx::multimem_red(ptx::sem_release, ptx::scope_gpu, ptx::op_add, whole, 3);
    ptx::multimem_st(ptx::sem_relaxed, ptx::scope_sys, reinterpret_cast<unsigned *>(whole), 3u);
    out[1] = static_cast<unsigned>(ptx::multimem_ld_reduce(ptx::sem_acquire, ptx::scope_sys, ptx::op_max, whole));
}

__global__ void work_stealing(int *out, int n)
{
#if __CUDA_ARCH__ >= 1000
    __shared__ alignas(16) ulonglong2 response;
    __shared__ uint64_t barrier;
    const unsigned response_address = static_cast<unsigned>(__cvta_generic_to_shared(&response));
    const unsigned barrier_address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
    }
    __syncthreads();
    unsigned block = blockIdx.x, cancelled = 1, phase = 0, last = 0;
    while (cancelled) {
        if (block * blockDim.x + threadIdx.x < static_cast<unsigned>(n)) {
            out[block * blockDim.x + threadIdx.x] = static_cast<int>(block + last);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
            asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(response_address), "r"(barrier_address) : "memory");
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier, 16);
        }
        while (!ptx::mbarrier_try_wait_parity(&barrier, phase)) {
        }
        phase ^= 1;
        unsigned y, z;
        asm volatile("{\n\t"
                     ".reg .b128 handle;\n\t"
                     ".reg .pred p;\n\t"
                     "ld.shared.b128 handle, [%4];\n\t"
                     "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t"
                     "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, handle;\n\t"
                     "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %2, handle;\n\t"
                     "}"
                     : "=r"(cancelled), "=r"(block), "=r"(y), "=r"(z)
                     : "r"(response_address)
                     : "memory");
        last = y + z;
        asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
        __syncthreads();
    }
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
    ptx::clusterlaunchcontrol_try_cancel_multicast(&response, &barrier);
#endif
#endif
}

int main()
{
    work_stealing<<<64, 32>>>(corpus::device_array<int>(2048), 2048);
    return corpus::finish("multimem_and_launch_control");
}
