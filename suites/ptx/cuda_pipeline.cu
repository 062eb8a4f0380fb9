// cuda::pipeline and cuda::memcpy_async: per thread, per block, producer and consumer, several stages.
//@ architectures: 70 75 80 90 90a 100 120
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "support/launch.cuh"

namespace cg = cooperative_groups;

__global__ void thread_pipeline(int4 *out, const int4 *in)
{
    __shared__ int4 buffer[128];
    cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
    pipeline.producer_acquire();
    cuda::memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], sizeof(int4), pipeline);
    pipeline.producer_commit();
    pipeline.producer_acquire();
    cuda::memcpy_async(&buffer[threadIdx.x].x, &in[threadIdx.x].y, cuda::aligned_size_t<4>(4), pipeline);
    pipeline.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipeline);
    __syncthreads();
    out[threadIdx.x] = buffer[threadIdx.x ^ 1];
    pipeline.consumer_release();
    pipeline.consumer_wait();
    pipeline.consumer_release();
}

template <int Stages> __global__ void block_pipeline(float *out, const float *in, int batches)
{
    extern __shared__ float stages[];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int fetched = 0;
    for (int batch = 0; batch < batches; ++batch) {
        for (; fetched < batches && fetched < batch + Stages; ++fetched) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, stages + (fetched % Stages) * block.size(), in + fetched * block.size(), sizeof(float) * block.size(), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[batch * block.size() + block.thread_rank()] = stages[(batch % Stages) * block.size() + block.thread_rank()] * 2;
        pipeline.consumer_release();
    }
}

template __global__ void block_pipeline<2>(float *, const float *, int);

// The upper half of the block copies, the lower half computes.
__global__ void partitioned_pipeline(float *out, const float *in, int batches)
{
    __shared__ float stages[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    const auto role = threadIdx.x < 32 ? cuda::pipeline_role::consumer : cuda::pipeline_role::producer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    for (int batch = 0; batch < batches; ++batch) {
        if (role == cuda::pipeline_role::producer) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&stages[batch & 1][threadIdx.x - 32], in + batch * 32 + threadIdx.x - 32, sizeof(float), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            out[batch * 32 + threadIdx.x] = stages[batch & 1][threadIdx.x] + 1;
            pipeline.consumer_release();
        }
    }
}

__global__ void copy_with_barrier(int *out, const int *in)
{
    __shared__ alignas(16) int buffer[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&barrier, block.size());
    }
    block.sync();
    cuda::memcpy_async(block, buffer, in, cuda::aligned_size_t<16>(sizeof(buffer)), barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = buffer[255 - threadIdx.x];
}

#ifndef __CUDACC_RTC__
int main()
{
    thread_pipeline<<<1, 128>>>(corpus::device_array<int4>(128), corpus::device_array<int4>(128));
    float *in = corpus::device_array<float>(1024);
    float *out = corpus::device_array<float>(1024);
    block_pipeline<2><<<1, 64, 2 * 64 * sizeof(float)>>>(out, in, 8);
    partitioned_pipeline<<<1, 64>>>(out, in, 8);
    copy_with_barrier<<<1, 256>>>(corpus::device_array<int>(256), corpus::device_array<int>(256));
    return corpus::finish("cuda_pipeline", corpus::read_back(out) == 1.0f);
}
#endif
