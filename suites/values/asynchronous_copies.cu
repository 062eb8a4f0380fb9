// Copies to shared memory that run on their own: cp.async in PTX, __pipeline_*, cuda::pipeline, cooperative groups.
#include "support/check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// Barriers in shared memory have constructors that never run; init() does their work.
#pragma nv_diag_suppress static_var_with_dynamic_init

// Sizes 4, 8 and 16; the last copy reads fewer bytes than it writes, and the rest becomes zero.
__global__ void cp_async_sizes(const int *in, int *out) {
    __shared__ __align__(16) int four[64], eight[128], sixteen[256], padded[256];
    int t = threadIdx.x;
    unsigned at_four = static_cast<unsigned>(__cvta_generic_to_shared(&four[t]));
    unsigned at_eight = static_cast<unsigned>(__cvta_generic_to_shared(&eight[2 * t]));
    unsigned at_sixteen = static_cast<unsigned>(__cvta_generic_to_shared(&sixteen[4 * t]));
    unsigned at_padded = static_cast<unsigned>(__cvta_generic_to_shared(&padded[4 * t]));
    in += blockIdx.x * 704;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at_four), "l"(in + t) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at_eight), "l"(in + 64 + 2 * t) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at_sixteen), "l"(in + 192 + 4 * t) : "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at_padded), "l"(in + 448 + 4 * t), "r"(t % 5 * 4)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    out += blockIdx.x * 704;
    out[t] = four[63 - t];
    out[64 + 2 * t] = eight[127 - 2 * t];
    out[65 + 2 * t] = eight[126 - 2 * t];
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int i = t; i < 256; i += 64) {
        out[192 + i] = sixteen[255 - i];
        out[448 + i] = padded[255 - i];
    }
}

__global__ void pipeline_primitives_double_buffer(int tiles, const int4 *in, int *sums) {
    __shared__ int4 buffer[2][128];
    int t = threadIdx.x;
    in += blockIdx.x * tiles * 128;
    __pipeline_memcpy_async(&buffer[0][t], &in[t], sizeof(int4));
    __pipeline_commit();
    int sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) {
            __pipeline_memcpy_async(&buffer[(tile + 1) % 2][t], &in[(tile + 1) * 128 + t], sizeof(int4));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 v = buffer[tile % 2][127 - t];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w + (tile + 1) * v.x;
        __syncthreads();
    }
    sums[blockIdx.x * 128 + t] = sum;
}

__global__ void pipeline_two_stages(int tiles, const int *in, int *out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int buffer[2][128];
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    in += blockIdx.x * tiles * 128;
    int sum = 0;
    for (int tile = 0, loaded = 0; tile < tiles; ++tile) {
        for (; loaded < tiles && loaded < tile + 2; ++loaded) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffer[loaded % 2], in + loaded * 128, sizeof(int) * 128, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum = sum * 3 + buffer[tile % 2][(threadIdx.x + 1) % 128];
        pipeline.consumer_release();
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void group_memcpy_async_wait(const int *in, int *out) {
    __shared__ int tile[300];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 300, sizeof(int) * 300);
    cg::wait(block);
    for (int i = threadIdx.x; i < 300; i += blockDim.x) {
        out[blockIdx.x * 300 + i] = tile[299 - i] ^ i;
    }
}

__global__ void memcpy_async_on_barrier(const double *in, double *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ __align__(16) double tile[256];
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    cuda::memcpy_async(block, tile, in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof(double) * 256), barrier);
    barrier.arrive_and_wait();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        out[blockIdx.x * 256 + i] = tile[(i + 100) % 256] * 2.0;
    }
}

// A pipeline of one thread: no barrier is needed for what the thread copied itself.
__global__ void pipeline_of_one_thread(const int *in, int *out) {
    __shared__ int slots[4][64];
    auto pipeline = cuda::make_pipeline();
    int t = threadIdx.x;
    for (int stage = 0; stage < 4; ++stage) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&slots[stage][t], &in[(blockIdx.x * 4 + stage) * 64 + t], sizeof(int), pipeline);
        pipeline.producer_commit();
    }
    int sum = 0;
    cuda::pipeline_consumer_wait_prior<2>(pipeline);
    sum += slots[0][t] - slots[1][t];
    cuda::pipeline_consumer_wait_prior<0>(pipeline);
    sum += 5 * slots[2][t] - 7 * slots[3][t];
    out[blockIdx.x * 64 + t] = sum;
}

int main() {
    {
        const int blocks = 6, n = 704 * blocks;
        auto in = check::patterns<int>(n, 141);
        check::DeviceBuffer<int> din(in), dout(n);
        cp_async_sizes<<<blocks, 64>>>(din, dout);
        std::vector<int> out(n);
        for (int b = 0; b < n; b += 704) {
            for (int i = 0; i < 64; ++i) {
                out[b + i] = in[b + 63 - i];
            }
            for (int i = 0; i < 128; ++i) {
                out[b + 64 + i] = in[b + 64 + 127 - i];
            }
            for (int i = 0; i < 256; ++i) {
                out[b + 192 + i] = in[b + 192 + 255 - i];
                int from = 255 - i;
                out[b + 448 + i] = from % 4 < from / 4 % 5 ? in[b + 448 + from] : 0;
            }
        }
        check::exact("cp_async_sizes", dout.to_host(), out);
    }
    {
        const int blocks = 5, tiles = 7;
        auto in = check::integers<int>(blocks * tiles * 512, 142, -1000, 1000);
        check::DeviceBuffer<int> din(in), dsums(blocks * 128);
        pipeline_primitives_double_buffer<<<blocks, 128>>>(tiles, reinterpret_cast<int4 *>((int *)din), dsums);
        std::vector<int> sums(blocks * 128);
        for (int i = 0; i < blocks * 128; ++i) {
            for (int tile = 0; tile < tiles; ++tile) {
                const int *v = &in[((i / 128 * tiles + tile) * 128 + 127 - i % 128) * 4];
                sums[i] += v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3] + (tile + 1) * v[0];
            }
        }
        check::exact("pipeline_primitives_double_buffer", dsums.to_host(), sums);
    }
    {
        const int blocks = 5, tiles = 9;
        auto in = check::integers<int>(blocks * tiles * 128, 143, -1000, 1000);
        check::DeviceBuffer<int> din(in), dout(blocks * 128);
        pipeline_two_stages<<<blocks, 128>>>(tiles, din, dout);
        std::vector<int> out(blocks * 128);
        for (int i = 0; i < blocks * 128; ++i) {
            for (int tile = 0; tile < tiles; ++tile) {
                out[i] = out[i] * 3 + in[(i / 128 * tiles + tile) * 128 + (i % 128 + 1) % 128];
            }
        }
        check::exact("pipeline_two_stages", dout.to_host(), out);
    }
    {
        const int n = 300 * 8;
        auto in = check::patterns<int>(n, 144);
        check::DeviceBuffer<int> din(in), dout(n);
        group_memcpy_async_wait<<<8, 96>>>(din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i / 300 * 300 + 299 - i % 300] ^ (i % 300);
        }
        check::exact("group_memcpy_async_wait", dout.to_host(), out);
    }
    {
        const int n = 256 * 8;
        auto in = check::reals<double>(n, 145, -1, 1);
        check::DeviceBuffer<double> din(in), dout(n);
        memcpy_async_on_barrier<<<8, 128>>>(din, dout);
        std::vector<double> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i / 256 * 256 + (i % 256 + 100) % 256] * 2.0;
        }
        check::exact("memcpy_async_on_barrier", dout.to_host(), out);
    }
    {
        const int blocks = 10;
        auto in = check::integers<int>(blocks * 256, 146, -1000, 1000);
        check::DeviceBuffer<int> din(in), dout(blocks * 64);
        pipeline_of_one_thread<<<blocks, 64>>>(din, dout);
        std::vector<int> out(blocks * 64);
        for (int i = 0; i < blocks * 64; ++i) {
            const int *v = &in[i / 64 * 256 + i % 64];
            out[i] = v[0] - v[64] + 5 * v[128] - 7 * v[192];
        }
        check::exact("pipeline_of_one_thread", dout.to_host(), out);
    }
    return check::finish();
}
