// mbarrier in all its forms, named barriers (bar, barrier) and their reductions.
#include "support/launch.cuh"

__global__ void named_barriers(int *out, int count)
{
    int d, sum = 0;
    const int mine = static_cast<int>(threadIdx.x);
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.sync %0, %1;" ::"r"(2), "r"(count) : "memory");
    asm volatile("bar.arrive 3, 128;" ::: "memory");
    asm volatile("barrier.sync.aligned 0;" ::: "memory");
    asm volatile("barrier.cta.sync.aligned 4, 64;" ::: "memory");
    asm volatile("{.reg .pred p; setp.gt.s32 p, %1, 3; bar.red.popc.u32 %0, 0, p;}" : "=r"(d) : "r"(mine) : "memory"); sum += d;
    asm volatile("{.reg .pred p, q; setp.gt.s32 p, %1, 3; bar.red.and.pred q, 1, 64, !p; selp.s32 %0, 1, 0, q;}" : "=r"(d) : "r"(mine) : "memory"); sum += d;
    asm volatile("{.reg .pred p, q; setp.gt.s32 p, %1, 3; bar.cta.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q;}" : "=r"(d) : "r"(mine) : "memory"); sum += d;
#if __CUDA_ARCH__ >= 700
    asm volatile("barrier.sync 5, 64;" ::: "memory");
    asm volatile("barrier.cta.sync 5;" ::: "memory");
    asm volatile("barrier.arrive 6, 128;" ::: "memory");
    asm volatile("{.reg .pred p, q; setp.gt.s32 p, %1, 3; barrier.red.popc.u32 %0, 7, p; barrier.cta.red.or.aligned.pred q, 7, 64, p; @q add.s32 %0, %0, 1;}" : "=r"(d) : "r"(mine) : "memory"); sum += d;
#endif
    out[threadIdx.x] = sum + __syncthreads_count(mine > 2) + __syncthreads_and(mine > 2) + __syncthreads_or(mine > 2);
}

__global__ void mbarriers(unsigned long long *out)
{
#if __CUDA_ARCH__ >= 800
    __shared__ unsigned long long barrier;
    const unsigned state = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    unsigned long long token;
    unsigned ready, count;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(state), "r"(blockDim.x) : "memory");
    }
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(state) : "memory");
    asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(token) : "l"(&barrier) : "memory");
    asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 1;" : "=l"(token) : "r"(state) : "memory");
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(state) : "memory");
    asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(state), "r"(1) : "memory");
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(ready) : "r"(state), "l"(token) : "memory");
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(ready) : "r"(state) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], 2;" : "=l"(token) : "r"(state) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(state) : "memory");
    asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(state) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(state), "r"(64) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 16;" ::"r"(state) : "memory");
    asm volatile("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], 4;" : "=l"(token) : "r"(state) : "memory");
    asm volatile("mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%0], 1;" ::"r"(state) : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 32;" ::"r"(state) : "memory");
    asm volatile("mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%0], 32;" ::"r"(state) : "memory");
    asm volatile("{\n\t.reg .pred ready;\n\tagain:\n\tmbarrier.try_wait.shared::cta.b64 ready, [%0], %1;\n\t@!ready bra again;\n\t}" ::"r"(state), "l"(token) : "memory");
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p;}" : "=r"(ready) : "r"(state), "r"(0), "r"(1000) : "memory");
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 1; selp.u32 %0, 1, 0, p;}" : "=r"(ready) : "r"(state) : "memory");
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], 1; selp.u32 %0, 1, 0, p;}" : "=r"(ready) : "r"(state) : "memory");
    asm volatile("{.reg .pred p; mbarrier.try_wait.relaxed.cluster.shared.b64 p, [%1], %2, 20; selp.u32 %0, 1, 0, p;}" : "=r"(ready) : "r"(state), "l"(token) : "memory");
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(state) : "memory");
    }
    out[threadIdx.x] = token + ready + count;
#endif
}

// A barrier the block shares between producers, who arrive, and consumers, who wait.
__global__ void producers_and_consumers(int *out)
{
    __shared__ int value;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            value = 99;
        }
        __threadfence_block();
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x - 32] = value;
    }
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(64);
    producers_and_consumers<<<1, 64>>>(out);
    return corpus::finish("mbarrier_instructions", corpus::read_back(out) == 99);
}
#endif
