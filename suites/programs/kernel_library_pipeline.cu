// The C++ library of the device: a pipeline of copies with two stages, and a barrier that warps arrive at.
// verdict: clean
#include "check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace groups = cooperative_groups;

// The pipeline's constructor sets its shared state up itself.
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int THREADS = 64;
constexpr int STEPS = 4;

__global__ void by_pipeline(const int* in, int* out) {
    __shared__ alignas(16) int buffer[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    groups::thread_block block = groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int step = 0; step <= STEPS; step++) {
        if (step < STEPS) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffer[step % 2], in + step * THREADS, sizeof buffer[0], pipeline);
            pipeline.producer_commit();
        }
        if (step > 0) {
            pipeline.consumer_wait();
            out[(step - 1) * THREADS + threadIdx.x] = buffer[(step - 1) % 2][THREADS - 1 - threadIdx.x];
            pipeline.consumer_release();
        }
    }
    __syncthreads();
}

__global__ void by_barrier(int* data) {
    __shared__ int cells[THREADS];
    __shared__ alignas(8) unsigned char storage[sizeof(cuda::barrier<cuda::thread_scope_block>)];
    auto* barrier = reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(storage);
    if (threadIdx.x == 0) {
        init(barrier, THREADS);
    }
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        cells[threadIdx.x] = data[threadIdx.x] + round;
        barrier->arrive_and_wait();
        data[threadIdx.x] = cells[(threadIdx.x + 1) % THREADS];
        barrier->arrive_and_wait();
    }
}

int main() {
    int host[THREADS * STEPS];
    for (int i = 0; i < THREADS * STEPS; i++) {
        host[i] = i;
    }
    int *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    by_pipeline<<<1, THREADS>>>(in, out);
    CHECK(cudaGetLastError());
    by_barrier<<<1, THREADS>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d\n", host[0], host[63], host[THREADS * STEPS - 1]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
