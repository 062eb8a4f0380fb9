// cuda::atomic and cuda::std::atomic as objects: flags, pointers, wait and notify, in shared and global memory.
//@ architectures: 70 75 80 90 90a 100 120
#include <cuda/atomic>
#include <cuda/std/atomic>

#include "support/launch.cuh"

__device__ cuda::atomic<int, cuda::thread_scope_device> global_counter;
__device__ cuda::std::atomic<unsigned> standard_counter;
__device__ cuda::std::atomic_flag global_flag;

__global__ void counters(int *out)
{
    global_counter.fetch_add(1, cuda::std::memory_order_relaxed);
    standard_counter++;
    __shared__ cuda::atomic<long long, cuda::thread_scope_block> local;
    if (threadIdx.x == 0) {
        new (&local) cuda::atomic<long long, cuda::thread_scope_block>(0);
    }
    __syncthreads();
    local.fetch_max(threadIdx.x, cuda::std::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = global_counter.load() + static_cast<int>(standard_counter.load(cuda::std::memory_order_acquire)) + static_cast<int>(local.load());
    }
}

// One thread waits for the other's notification; both are in different warps.
__global__ void wait_and_notify(cuda::atomic<int, cuda::thread_scope_device> *flag, int *out)
{
    if (threadIdx.x == 0) {
        out[0] = 41;
        flag->store(1, cuda::std::memory_order_release);
        flag->notify_all();
    } else if (threadIdx.x == 32) {
        flag->wait(0, cuda::std::memory_order_acquire);
        out[1] = out[0] + 1;
    }
}

__global__ void flags(int *out)
{
    if (!global_flag.test_and_set(cuda::std::memory_order_acquire)) {
        out[0] = 1;
        global_flag.clear(cuda::std::memory_order_release);
    }
}

__global__ void pointers(cuda::atomic<int *, cuda::thread_scope_system> *cursor, int **out)
{
    out[threadIdx.x] = cursor->fetch_add(4);
    int *expected = nullptr;
    cursor->compare_exchange_strong(expected, out[0]);
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(8);
    counters<<<1, 32>>>(out);
    wait_and_notify<<<1, 64>>>(corpus::device_array<cuda::atomic<int, cuda::thread_scope_device>>(1), out);
    pointers<<<1, 1>>>(corpus::device_array<cuda::atomic<int *, cuda::thread_scope_system>>(1), corpus::device_array<int *>(8));
    return corpus::finish("cuda_atomic_objects", corpus::read_back(out, 1) == 42);
}
#endif
