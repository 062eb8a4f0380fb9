// cuda::atomic_ref with every memory order and thread scope.
//@ architectures: 60 70 75 80 90 90a 100 120
#include <cuda/atomic>

#include "support/launch.cuh"

template <cuda::thread_scope Scope, typename T> __device__ T every_order(T *target)
{
    cuda::atomic_ref<T, Scope> cell(*target);
    T sum = cell.load(cuda::std::memory_order_relaxed);
    sum += cell.load(cuda::std::memory_order_acquire);
    sum += cell.load(cuda::std::memory_order_seq_cst);
    cell.store(sum, cuda::std::memory_order_relaxed);
    cell.store(sum, cuda::std::memory_order_release);
    cell.store(sum, cuda::std::memory_order_seq_cst);
    sum += cell.fetch_add(1, cuda::std::memory_order_relaxed);
    sum += cell.fetch_add(1, cuda::std::memory_order_acquire);
    sum += cell.fetch_add(1, cuda::std::memory_order_release);
    sum += cell.fetch_sub(1, cuda::std::memory_order_acq_rel);
    sum += cell.fetch_add(1, cuda::std::memory_order_seq_cst);
    sum += cell.exchange(sum, cuda::std::memory_order_acq_rel);
    T expected = sum;
    cell.compare_exchange_weak(expected, sum, cuda::std::memory_order_acquire, cuda::std::memory_order_relaxed);
    cell.compare_exchange_strong(expected, sum, cuda::std::memory_order_seq_cst);
    return sum + expected;
}

template <typename T> __device__ T integer_operations(T *target)
{
    cuda::atomic_ref<T, cuda::thread_scope_device> cell(*target);
    T sum = cell.fetch_and(3) + cell.fetch_or(4, cuda::std::memory_order_relaxed) + cell.fetch_xor(5, cuda::std::memory_order_release);
    sum += cell.fetch_min(6, cuda::std::memory_order_relaxed) + cell.fetch_max(7, cuda::std::memory_order_acquire);
    ++cell;
    cell--;
    cell += 4;
    return sum;
}

template <typename T> __global__ void scopes(T *out)
{
    out[1] = every_order<cuda::thread_scope_thread>(out) + every_order<cuda::thread_scope_block>(out + 2) + every_order<cuda::thread_scope_device>(out + 3)
        + every_order<cuda::thread_scope_system>(out + 4);
}

template __global__ void scopes<int>(int *);
template __global__ void scopes<unsigned long long>(unsigned long long *);
template __global__ void scopes<float>(float *);
template __global__ void scopes<double>(double *);

template <typename T> __global__ void operations(T *out)
{
    __shared__ T cell;
    if (threadIdx.x == 0) {
        cell = 0;
    }
    __syncthreads();
    out[1] = integer_operations(out) + integer_operations(&cell);
}

template __global__ void operations<int>(int *);
template __global__ void operations<unsigned>(unsigned *);
template __global__ void operations<long long>(long long *);

__global__ void small_types(unsigned char *a, short *b)
{
    cuda::atomic_ref<unsigned char, cuda::thread_scope_device> first(*a);
    cuda::atomic_ref<short, cuda::thread_scope_block> second(*b);
    first.fetch_add(1, cuda::std::memory_order_relaxed);
    first.fetch_or(1);
    second.exchange(7, cuda::std::memory_order_acq_rel);
    b[1] = second.fetch_max(3);
}

__global__ void fences(int *out)
{
    cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_block);
    cuda::atomic_thread_fence(cuda::std::memory_order_release, cuda::thread_scope_device);
    cuda::atomic_thread_fence(cuda::std::memory_order_acq_rel, cuda::thread_scope_system);
    cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_system);
    cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
    cuda::std::atomic_signal_fence(cuda::std::memory_order_seq_cst);
    out[0] = 1;
}

#ifndef __CUDACC_RTC__
int main()
{
    scopes<<<1, 1>>>(corpus::device_array<int>(8));
    operations<<<1, 32>>>(corpus::device_array<int>(8));
    int *out = corpus::device_array<int>(8);
    fences<<<1, 32>>>(out);
    return corpus::finish("atomic_ref_orders", corpus::read_back(out) == 1);
}
#endif
