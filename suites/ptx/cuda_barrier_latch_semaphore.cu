// cuda::barrier with and without completion function, cuda::latch, counting and binary semaphores.
//@ architectures: 70 75 80 90 90a 100 120
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include "support/launch.cuh"

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void arrive_and_wait(int *out)
{
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier barrier;
    __shared__ int values[64];
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    values[threadIdx.x] = threadIdx.x;
    barrier.arrive_and_wait();
    out[threadIdx.x] = values[63 - threadIdx.x];
    block_barrier::arrival_token token = barrier.arrive();
    out[threadIdx.x] += 1;
    barrier.wait(static_cast<block_barrier::arrival_token &&>(token));
    if (threadIdx.x < 32) {
        barrier.arrive_and_drop();
    } else {
        barrier.arrive_and_wait();
    }
}

__global__ void parity_and_timeouts(int *out)
{
    __shared__ block_barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = barrier.try_wait_parity_for(false, cuda::std::chrono::nanoseconds(100));
        auto token = barrier.arrive(1);
        out[1] = barrier.try_wait_for(static_cast<block_barrier::arrival_token &&>(token), cuda::std::chrono::nanoseconds(1000));
        barrier.wait_parity(false);
    }
}

struct Completion {
    int *counter;
    __device__ void operator()() const noexcept
    {
        *counter += 1;
    }
};

__global__ void with_completion(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block, Completion> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x, Completion{out});
    }
    __syncthreads();
    for (int i = 0; i < 3; ++i) {
        barrier.arrive_and_wait();
    }
}

__global__ void device_scope(cuda::barrier<cuda::thread_scope_device> *barrier, int *out)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        out[0] = 5;
    }
    barrier->arrive_and_wait();
    if (threadIdx.x == 0) {
        out[1 + blockIdx.x] = out[0];
    }
}

__global__ void latches(int *out)
{
    using block_latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(block_latch) unsigned char storage[sizeof(block_latch)];
    block_latch &latch = *reinterpret_cast<block_latch *>(storage);
    if (threadIdx.x == 0) {
        new (&latch) block_latch(blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        latch.count_down();
        out[threadIdx.x] = latch.try_wait();
    } else {
        latch.arrive_and_wait();
    }
}

__global__ void semaphores(cuda::counting_semaphore<cuda::thread_scope_device, 4> *counting, cuda::binary_semaphore<cuda::thread_scope_block> *binary, int *out)
{
    if (threadIdx.x == 0) {
        counting->acquire();
        atomicAdd(out, 1);
        counting->release(1);
        if (counting->try_acquire()) {
            counting->release();
        }
        if (counting->try_acquire_for(cuda::std::chrono::microseconds(5))) {
            counting->release();
        }
        binary->release();
        binary->acquire();
    }
}

__global__ void prepare(cuda::counting_semaphore<cuda::thread_scope_device, 4> *counting, cuda::binary_semaphore<cuda::thread_scope_block> *binary,
    cuda::barrier<cuda::thread_scope_device> *barrier, int expected)
{
    new (counting) cuda::counting_semaphore<cuda::thread_scope_device, 4>(2);
    new (binary) cuda::binary_semaphore<cuda::thread_scope_block>(0);
    init(barrier, expected);
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(128);
    arrive_and_wait<<<1, 64>>>(out);
    parity_and_timeouts<<<1, 32>>>(corpus::device_array<int>(8));
    with_completion<<<1, 64>>>(corpus::device_array<int>(8));
    latches<<<1, 64>>>(corpus::device_array<int>(64));
    auto *counting = corpus::device_array<cuda::counting_semaphore<cuda::thread_scope_device, 4>>(1);
    auto *binary = corpus::device_array<cuda::binary_semaphore<cuda::thread_scope_block>>(1);
    auto *barrier = corpus::device_array<cuda::barrier<cuda::thread_scope_device>>(1);
    prepare<<<1, 1>>>(counting, binary, barrier, 2 * 32);
    semaphores<<<1, 32>>>(counting, binary, corpus::device_array<int>(1));
    device_scope<<<2, 32>>>(barrier, corpus::device_array<int>(8));
    return corpus::finish("cuda_barrier_latch_semaphore", corpus::read_back(out) == 64);
}
#endif
