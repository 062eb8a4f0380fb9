// Bulk copies (cp.async.bulk): global to shared on an mbarrier, shared to global in groups, reductions, cuda::ptx.
#include "support/check.cuh"

#include <cuda/barrier>
#include <cuda/ptx>

// Barriers in shared memory have constructors that never run; init() does their work.
#pragma nv_diag_suppress static_var_with_dynamic_init

__device__ unsigned shared_address(const void *pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void start_bulk_copy(void *to, const void *from, unsigned bytes, unsigned barrier) {
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n\t}" ::"r"(barrier),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

__device__ void wait_for_phase(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
        asm volatile("{\n\t.reg .pred done;\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, done;\n\t}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

__device__ void initialise_barrier(unsigned barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__global__ void bulk_global_to_shared(const int *in, int *out) {
    __shared__ __align__(16) int tile[512];
    __shared__ __align__(8) unsigned long long object;
    unsigned barrier = shared_address(&object);
    if (threadIdx.x == 0) {
        initialise_barrier(barrier, 1);
        start_bulk_copy(tile, in + blockIdx.x * 512, 2048, barrier);
    }
    __syncthreads();
    wait_for_phase(barrier, 0);
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        out[blockIdx.x * 512 + i] = tile[511 - i];
    }
}

__global__ void bulk_shared_to_global(int *out) {
    __shared__ __align__(16) int tile[2][256];
    for (int half = 0; half < 2; ++half) {
        for (int i = threadIdx.x; i < 256; i += blockDim.x) {
            tile[half][i] = (blockIdx.x * 2 + half) * 1000 + i * i;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                             out + (blockIdx.x * 2 + half) * 256),
                         "r"(shared_address(tile[half])), "r"(1024)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Every block adds its line to one array, and takes the minimum into another.
__global__ void bulk_reductions(const unsigned *in, unsigned *sums, int *minima) {
    __shared__ __align__(16) unsigned tile[256];
    tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(sums),
                     "r"(shared_address(tile)), "r"(1024)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], %2;" ::"l"(minima),
                     "r"(shared_address(tile)), "r"(1024)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void bulk_double_buffer(int tiles, const float *in, float *sums) {
    __shared__ __align__(16) float buffer[2][256];
    __shared__ __align__(8) unsigned long long objects[2];
    unsigned barrier[2] = {shared_address(&objects[0]), shared_address(&objects[1])};
    in += blockIdx.x * tiles * 256;
    if (threadIdx.x == 0) {
        initialise_barrier(barrier[0], 1);
        initialise_barrier(barrier[1], 1);
        start_bulk_copy(buffer[0], in, 1024, barrier[0]);
    }
    __syncthreads();
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        if (threadIdx.x == 0 && tile + 1 < tiles) {
            start_bulk_copy(buffer[(tile + 1) % 2], in + (tile + 1) * 256, 1024, barrier[(tile + 1) % 2]);
        }
        wait_for_phase(barrier[tile % 2], tile / 2 % 2);
        sum = fmaf(0.5f, sum, buffer[tile % 2][255 - threadIdx.x]);
        __syncthreads();
    }
    sums[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void bulk_through_cuda_ptx(const double *in, double *out) {
    namespace ptx = cuda::ptx;
    __shared__ __align__(16) double tile[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(tile, in + blockIdx.x * 128, cuda::aligned_size_t<16>(sizeof(tile)), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(tile));
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    tile[threadIdx.x] = tile[threadIdx.x] * 4.0 + threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 128, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    {
        const int n = 512 * 8;
        auto in = check::patterns<int>(n, 161);
        check::DeviceBuffer<int> din(in), dout(n);
        bulk_global_to_shared<<<8, 128>>>(din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i / 512 * 512 + 511 - i % 512];
        }
        check::exact("bulk_global_to_shared", dout.to_host(), out);
    }
    {
        const int blocks = 6, n = 512 * blocks;
        check::DeviceBuffer<int> dout(n);
        bulk_shared_to_global<<<blocks, 128>>>(dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = i / 256 * 1000 + (i % 256) * (i % 256);
        }
        check::exact("bulk_shared_to_global", dout.to_host(), out);
    }
    {
        const int blocks = 10;
        auto in = check::patterns<unsigned>(256 * blocks, 162);
        check::DeviceBuffer<unsigned> din(in), dsums(256);
        check::DeviceBuffer<int> dminima(256);
        bulk_reductions<<<blocks, 256>>>(din, dsums, dminima);
        std::vector<unsigned> sums(256);
        std::vector<int> minima(256);
        for (int i = 0; i < 256 * blocks; ++i) {
            sums[i % 256] += in[i];
            int value = static_cast<int>(in[i]);
            minima[i % 256] = value < minima[i % 256] ? value : minima[i % 256];
        }
        check::exact("bulk_reductions_add", dsums.to_host(), sums);
        check::exact("bulk_reductions_min", dminima.to_host(), minima);
    }
    {
        const int blocks = 5, tiles = 7;
        auto in = check::reals<float>(256 * blocks * tiles, 163, -1, 1);
        check::DeviceBuffer<float> din(in), dsums(256 * blocks);
        bulk_double_buffer<<<blocks, 256>>>(tiles, din, dsums);
        std::vector<float> sums(256 * blocks);
        for (int i = 0; i < 256 * blocks; ++i) {
            for (int tile = 0; tile < tiles; ++tile) {
                sums[i] = fmaf(0.5f, sums[i], in[(i / 256 * tiles + tile) * 256 + 255 - i % 256]);
            }
        }
        check::exact("bulk_double_buffer", dsums.to_host(), sums);
    }
    {
        const int n = 128 * 7;
        auto in = check::integers<double>(n, 164, -1000, 1000);
        check::DeviceBuffer<double> din(in), dout(n);
        bulk_through_cuda_ptx<<<7, 128>>>(din, dout);
        std::vector<double> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i] * 4.0 + i % 128;
        }
        check::exact("bulk_through_cuda_ptx", dout.to_host(), out);
    }
    return check::finish();
}
