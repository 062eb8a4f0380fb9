// CLEAN. As library_pipeline_destroyed.cu, but threads leave the pipeline by quit().
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include <cooperative_groups.h>
#include <cuda/pipeline>

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    pipeline.producer_acquire();
    cuda::memcpy_async(block, buffer, in, sizeof(buffer), pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    out[threadIdx.x] = buffer[63 - threadIdx.x];
    pipeline.consumer_release();
    pipeline.quit();
}
