// Integer atomics through the intrinsics: every operation, width and scope, on global and shared memory.
#include "support/launch.cuh"

template <typename T> __device__ T arithmetic(T *target, T value)
{
    T sum = atomicAdd(target, value);
    sum += atomicExch(target, value);
    sum += atomicCAS(target, value, sum);
    sum += atomicMin(target, value);
    sum += atomicMax(target, value);
    sum += atomicAnd(target, value);
    sum += atomicOr(target, value);
    sum += atomicXor(target, value);
    return sum;
}

__global__ void device_scope(int *a, unsigned *b, unsigned long long *c, long long *d)
{
    int i = arithmetic(a, 3) + atomicSub(a, 2);
    unsigned u = arithmetic(b, 3u) + atomicSub(b, 2u) + atomicInc(b, 100u) + atomicDec(b, 50u);
    unsigned long long w = arithmetic(c, 3ull);
    long long s = atomicMin(d, 5ll) + atomicMax(d, 6ll) + static_cast<long long>(atomicAnd(c, 7ull));
    a[1] = i;
    b[1] = u;
    c[1] = w;
    d[1] = s;
}

__global__ void without_results(int *a, unsigned *b, unsigned long long *c)
{
    atomicAdd(a, 1);
    atomicMin(a + 1, 2);
    atomicMax(a + 2, 3);
    atomicAdd(b, 4u);
    atomicOr(b + 1, 5u);
    atomicInc(b + 2, 6u);
    atomicDec(b + 3, 7u);
    atomicAdd(c, 8ull);
    atomicXor(c + 1, 9ull);
    atomicAnd(c + 2, 10ull);
    atomicMax(c + 3, 11ull);
}

__global__ void on_shared_memory(int *a, unsigned *b, unsigned long long *c)
{
    __shared__ int si;
    __shared__ unsigned su;
    __shared__ unsigned long long sw;
    if (threadIdx.x == 0) {
        si = 0;
        su = 0;
        sw = 0;
    }
    __syncthreads();
    int i = arithmetic(&si, 3);
    unsigned u = arithmetic(&su, 3u) + atomicInc(&su, 9u);
    unsigned long long w = arithmetic(&sw, 3ull);
    atomicAdd(&si, 1);
    atomicMax(&sw, 77ull);
    __syncthreads();
    a[threadIdx.x] = si + i;
    b[threadIdx.x] = su + u;
    c[threadIdx.x] = sw + w;
}

__global__ void block_and_system_scope(int *a, unsigned *b, unsigned long long *c)
{
#if __CUDA_ARCH__ >= 600
    int i = atomicAdd_block(a, 1) + atomicAdd_system(a, 1) + atomicSub_block(a, 1) + atomicSub_system(a, 2) + atomicExch_block(a, 1) + atomicExch_system(a, 2);
    i += atomicCAS_block(a, 1, 2) + atomicCAS_system(a, 2, 3) + atomicMin_block(a, 4) + atomicMin_system(a, 4) + atomicMax_block(a, 5) + atomicMax_system(a, 5);
    i += atomicAnd_block(a, 6) + atomicAnd_system(a, 6) + atomicOr_block(a, 7) + atomicOr_system(a, 7) + atomicXor_block(a, 8) + atomicXor_system(a, 8);
    unsigned u = atomicAdd_block(b, 1u) + atomicAdd_system(b, 1u) + atomicInc_block(b, 9u) + atomicInc_system(b, 9u) + atomicDec_block(b, 9u) + atomicDec_system(b, 9u);
    unsigned long long w = atomicAdd_block(c, 1ull) + atomicAdd_system(c, 1ull) + atomicExch_block(c, 1ull) + atomicCAS_system(c, 1ull, 2ull) + atomicMax_block(c, 2ull)
        + atomicXor_system(c, 5ull);
    atomicAdd_block(a + 1, 1);
    atomicAdd_system(b + 1, 1u);
    atomicOr_system(c + 1, 1ull);
    a[2] = i;
    b[2] = u;
    c[2] = w;
#endif
}

__global__ void sixteen_bits(unsigned short *a)
{
#if __CUDA_ARCH__ >= 700
    a[1] = atomicCAS(a, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
#endif
}

// A lock and a ticket: the two classic loops around an atomic.
__global__ void spin_lock(int *lock, int *ticket, volatile int *counter)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *counter = *counter + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
    __shared__ bool last;
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1) == static_cast<int>(gridDim.x) - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        *ticket = 0;
        __threadfence_system();
        __threadfence_block();
    }
}

#ifndef __CUDACC_RTC__
int main()
{
    int *a = corpus::device_array<int>(64);
    unsigned *b = corpus::device_array<unsigned>(64);
    unsigned long long *c = corpus::device_array<unsigned long long>(64);
    device_scope<<<1, 32>>>(a, b, c, corpus::device_array<long long>(64));
    without_results<<<1, 32>>>(a, b, c);
    on_shared_memory<<<1, 32>>>(a, b, c);
    int *counter = corpus::device_array<int>(4);
    spin_lock<<<16, 32>>>(counter, counter + 1, counter + 2);
    return corpus::finish("atomics_integer", corpus::read_back(counter, 2) == 16);
}
#endif
