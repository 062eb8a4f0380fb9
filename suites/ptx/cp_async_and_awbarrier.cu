// cp.async through the pipeline primitives and as instructions; the __mbarrier primitives of cuda_awbarrier.h.
//@ architectures: 70 75 80 90 90a 100 120
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

#include "support/launch.cuh"

__global__ void primitives(int *out, const int *in)
{
    __shared__ alignas(16) int buffer[3][128];
    __pipeline_memcpy_async(&buffer[0][threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    if (threadIdx.x < 64) {
        __pipeline_memcpy_async(&buffer[1][2 * threadIdx.x], &in[2 * threadIdx.x], 8);
    }
    if (threadIdx.x < 32) {
        __pipeline_memcpy_async(&buffer[2][4 * threadIdx.x], &in[4 * threadIdx.x], 16, 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = buffer[0][127 - threadIdx.x];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] += buffer[1][127 - threadIdx.x] + buffer[2][127 - threadIdx.x];
}

__global__ void instructions(int *out, const int *in, unsigned long long policy)
{
#if __CUDA_ARCH__ >= 800
    __shared__ alignas(16) int buffer[512];
    __shared__ unsigned long long barrier;
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + 16 * threadIdx.x;
    const unsigned state = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    const int *source = in + 4 * threadIdx.x;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(state), "r"(blockDim.x) : "memory");
    }
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(source) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(target), "l"(source) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
    asm volatile("cp.async.cg.shared::cta.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(8) : "memory");
    asm volatile("cp.async.ca.shared.global.L2::64B [%0], [%1], 4, 0;" ::"r"(target), "l"(source) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
    asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 8;" ::"r"(target), "l"(source) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "l"(policy) : "memory");
    asm volatile("cp.async.ca.shared.global.L2::cache_hint.L2::128B [%0], [%1], 4, %2, %3;" ::"r"(target), "l"(source), "r"(4), "l"(policy) : "memory");
    asm volatile("{.reg .pred p; setp.gt.u32 p, %2, 3; cp.async.ca.shared.global [%0], [%1], 4, p;}" ::"r"(target), "l"(source), "r"(threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 2;" ::: "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(state) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(state) : "memory");
    asm volatile("cp.async.mbarrier.arrive.b64 [%0];" ::"l"(&barrier) : "memory");
    __syncthreads();
    out[threadIdx.x] = buffer[threadIdx.x];
#endif
}

__global__ void awbarrier(int *out)
{
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0) {
        __mbarrier_init(&barrier, blockDim.x);
    }
    __syncthreads();
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    if (threadIdx.x < 32) {
        token = __mbarrier_arrive_and_drop(&barrier);
    } else {
        token = __mbarrier_arrive(&barrier);
    }
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    out[threadIdx.x] = static_cast<int>(__mbarrier_token_pending_count(token));
    __syncthreads();
    if (threadIdx.x == 0) {
        __mbarrier_inval(&barrier);
    }
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(512);
    primitives<<<1, 128>>>(out, corpus::device_array<int>(512));
    if (corpus::device_has(80)) {
        awbarrier<<<1, 64>>>(out);
    }
    return corpus::finish("cp_async_and_awbarrier");
}
#endif
