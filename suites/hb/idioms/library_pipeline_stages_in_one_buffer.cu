// RACY. A pipeline has two stages, and both copy to the same buffer: the second may overtake the first.
//@ launch: stream<<<1, 64>>>(in: u32[128] = iota, out: u32[64])
#include <cooperative_groups.h>
#include <cuda/pipeline>

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    pipeline.producer_acquire();
    cuda::memcpy_async(block, buffer, in, sizeof(buffer), pipeline);
    pipeline.producer_commit();
    pipeline.producer_acquire();
    cuda::memcpy_async(block, buffer, in + 64, sizeof(buffer), pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    pipeline.consumer_release();
    pipeline.consumer_wait();
    out[threadIdx.x] = buffer[63 - threadIdx.x];
    pipeline.consumer_release();
}
//~ line 15: race: async error (with line 12)
