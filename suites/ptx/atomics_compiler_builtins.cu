// The __nv_atomic_* builtins of the compiler: each operation, order and scope, at 1 to 16 bytes.
//@ architectures: 75 80 90 90a 100 120
#include "support/launch.cuh"

template <typename T> __global__ void loads_and_stores(T *p)
{
    T value, sum = 0;
#define LOAD(order, scope) __nv_atomic_load(p, &value, order, scope); sum += value;
    LOAD(__NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_THREAD) LOAD(__NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK) LOAD(__NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE)
    LOAD(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM) LOAD(__NV_ATOMIC_CONSUME, __NV_THREAD_SCOPE_BLOCK)
    __nv_atomic_store(p, &sum, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_store(p, &sum, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store(p, &sum, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
    if constexpr (sizeof(T) >= 4) {
        __nv_atomic_exchange(p, &sum, &value, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    }
    if constexpr (sizeof(T) >= 2) {
        __nv_atomic_compare_exchange(p, &value, &sum, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    }
    p[1] = value;
}

template __global__ void loads_and_stores<unsigned>(unsigned *);
template __global__ void loads_and_stores<long long>(long long *);
template __global__ void loads_and_stores<unsigned short>(unsigned short *);
template __global__ void loads_and_stores<unsigned char>(unsigned char *);

template <typename T> __global__ void arithmetic(T *p)
{
    T sum = 0;
    sum += __nv_atomic_fetch_add(p, T(1), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    sum += __nv_atomic_fetch_sub(p, T(1), __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    sum += __nv_atomic_fetch_min(p, T(1), __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
    sum += __nv_atomic_fetch_max(p, T(1), __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_add(p, T(3), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_max(p, T(4), __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    p[1] = sum;
}

template __global__ void arithmetic<int>(int *);
template __global__ void arithmetic<unsigned>(unsigned *);
template __global__ void arithmetic<unsigned long long>(unsigned long long *);

template <typename T> __global__ void logic(T *p)
{
    T sum = __nv_atomic_fetch_and(p, T(1), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    sum += __nv_atomic_fetch_or(p, T(2), __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
    sum += __nv_atomic_fetch_xor(p, T(3), __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_or(p, T(8), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_and(p, T(8), __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
    p[1] = sum;
}

template __global__ void logic<unsigned>(unsigned *);
template __global__ void logic<unsigned long long>(unsigned long long *);

__global__ void floating(float *f, double *d)
{
    f[1] = __nv_atomic_fetch_add(f, 1.0f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    d[1] = __nv_atomic_fetch_add(d, 1.0, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_add(f, 2.0f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
}

__global__ void sixteen_bytes(unsigned __int128 *p)
{
#if __CUDA_ARCH__ >= 900
    unsigned __int128 value = 5, old = 0;
    __nv_atomic_exchange(p, &value, &old, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_compare_exchange(p, &old, &value, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_load(p, &old, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store(p, &old, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
#endif
}

struct alignas(16) Sixteen {
    double first, second;
};

__global__ void sixteen_bytes_by_intrinsic(Sixteen *p)
{
#if __CUDA_ARCH__ >= 900
    const Sixteen value{1.0, 2.0};
    p[1] = atomicExch(p, value);
    p[2] = atomicCAS(p, value, p[1]);
    p[3] = atomicCAS_system(p, p[2], value);
    p[4] = atomicExch_block(p, p[3]);
#endif
}

__global__ void fences()
{
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
#if __CUDA_ARCH__ >= 900
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_CLUSTER);
#endif
}

#ifndef __CUDACC_RTC__
int main()
{
    loads_and_stores<<<1, 32>>>(corpus::device_array<unsigned>(8));
    arithmetic<<<1, 32>>>(corpus::device_array<int>(8));
    logic<<<1, 32>>>(corpus::device_array<unsigned>(8));
    float *f = corpus::device_array<float>(8);
    floating<<<1, 32>>>(f, corpus::device_array<double>(8));
    sixteen_bytes<<<1, 32>>>(corpus::device_array<unsigned __int128>(8));
    sixteen_bytes_by_intrinsic<<<1, 1>>>(corpus::device_array<Sixteen>(8));
    return corpus::finish("atomics_compiler_builtins", corpus::read_back(f) == 96.0f);
}
#endif
