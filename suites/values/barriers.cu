// Barriers: votes at a barrier, named barriers, arrival without waiting, part of a block, cooperative grid barriers.
#include "support/check.cuh"

#include <algorithm>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void barrier_votes(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    int count = __syncthreads_count(v % 3 == 0);
    int all = __syncthreads_and(v < 990);
    int any = __syncthreads_or(v > 985);
    out[i] = count * 4 + (all != 0) * 2 + (any != 0);
}

// Two halves of the block work at their own pace, each behind its own barrier.
__global__ void named_barriers_for_halves(const int *in, int *out) {
    __shared__ int values[2][64];
    int half = threadIdx.x / 64, t = threadIdx.x % 64;
    int v = in[blockIdx.x * 128 + threadIdx.x];
    int rounds = half == 0 ? 3 : 8;
    for (int round = 0; round < rounds; ++round) {
        values[half][t] = v;
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        v = v * 3 + values[half][(t + 11) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x] = v;
}

// Warp 0 produces and only arrives, warps 1 to 3 wait: barrier 1 says full, barrier 2 says empty.
__global__ void arrive_without_waiting(int rounds, const int *in, int *out) {
    __shared__ int line[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (warp == 0) {
            line[lane] = in[(blockIdx.x * rounds + round) * 32 + lane];
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum = sum * 7 + line[(lane + warp) % 32];
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
    if (warp > 0) {
        out[(blockIdx.x * 3 + warp - 1) * 32 + lane] = sum;
    }
}

__global__ void barrier_reductions_in_ptx(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count, all, any;
    asm volatile("{\n\t.reg .pred p, q;\n\tsetp.gt.s32 p, %3, 500;\n\tbarrier.sync.aligned 0;\n\t"
                 "barrier.red.popc.aligned.u32 %0, 3, p;\n\t"
                 "barrier.red.and.aligned.pred q, 4, p;\n\tselp.u32 %1, 1, 0, q;\n\t"
                 "barrier.red.or.aligned.pred q, 5, !p;\n\tselp.u32 %2, 1, 0, q;\n\t}"
                 : "=r"(count), "=r"(all), "=r"(any)
                 : "r"(in[i])
                 : "memory");
    out[i] = static_cast<int>(count * 4 + all * 2 + any);
}

// A sum over the whole grid in each round, in one cooperative launch.
__global__ void grid_barrier_rounds(int rounds, const int *in, int *partial, int *out) {
    __shared__ int words[64];
    auto grid = cg::this_grid();
    int i = blockIdx.x * 64 + threadIdx.x, v = in[i];
    for (int round = 0; round < rounds; ++round) {
        words[threadIdx.x] = v;
        __syncthreads();
        for (int half = 32; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                words[threadIdx.x] += words[threadIdx.x + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            partial[blockIdx.x] = words[0];
        }
        grid.sync();
        int total = 0;
        for (int b = 0; b < gridDim.x; ++b) {
            total += partial[b];
        }
        v = v + total % 1000 + static_cast<int>(grid.thread_rank());
        grid.sync();
    }
    out[i] = v;
}

// Half of the block leaves before the barriers; the rest keeps using them.
__global__ void barrier_after_exit(int *out) {
    __shared__ int values[64];
    if (threadIdx.x >= 64) {
        return;
    }
    values[threadIdx.x] = threadIdx.x * 2;
    __syncthreads();
    int v = values[63 - threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = v + 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = values[(threadIdx.x + 1) % 64];
}

int main() {
    const int n = 128 * 10;
    auto in = check::integers<int>(n, 371, 0, 999);
    check::DeviceBuffer<int> din(in);
    {
        check::DeviceBuffer<int> dout(n);
        barrier_votes<<<n / 128, 128>>>(din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            int count = 0, all = 1, any = 0;
            for (int j = i / 128 * 128; j < i / 128 * 128 + 128; ++j) {
                count += in[j] % 3 == 0;
                all &= in[j] < 990;
                any |= in[j] > 985;
            }
            out[i] = count * 4 + all * 2 + any;
        }
        check::exact("barrier_votes", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dout(n);
        named_barriers_for_halves<<<n / 128, 128>>>(din, dout);
        std::vector<int> out(n);
        for (int base = 0; base < n; base += 64) {
            std::vector<int> v(in.begin() + base, in.begin() + base + 64);
            for (int round = 0; round < (base / 64 % 2 == 0 ? 3 : 8); ++round) {
                std::vector<int> next(64);
                for (int t = 0; t < 64; ++t) {
                    next[t] = v[t] * 3 + v[(t + 11) % 64];
                }
                v = next;
            }
            std::copy(v.begin(), v.end(), out.begin() + base);
        }
        check::exact("named_barriers_for_halves", dout.to_host(), out);
    }
    {
        const int blocks = 5, rounds = 8;
        check::DeviceBuffer<int> dout(blocks * 96);
        arrive_without_waiting<<<blocks, 128>>>(rounds, din, dout);
        std::vector<int> out(blocks * 96);
        for (int i = 0; i < blocks * 96; ++i) {
            int lane = i % 32, warp = i / 32 % 3 + 1;
            unsigned sum = 0;
            for (int round = 0; round < rounds; ++round) {
                sum = sum * 7 + static_cast<unsigned>(in[(i / 96 * rounds + round) * 32 + (lane + warp) % 32]);
            }
            out[i] = static_cast<int>(sum);
        }
        check::exact("arrive_without_waiting", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dout(n);
        barrier_reductions_in_ptx<<<n / 64, 64>>>(din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            int count = 0;
            for (int j = i / 64 * 64; j < i / 64 * 64 + 64; ++j) {
                count += in[j] > 500;
            }
            out[i] = count * 4 + (count == 64) * 2 + (count < 64);
        }
        check::exact("barrier_reductions_in_ptx", dout.to_host(), out);
    }
    {
        int blocks = 12, rounds = 5;
        check::DeviceBuffer<int> dpartial(blocks), dout(blocks * 64);
        const int *din_pointer = din;
        int *partial_pointer = dpartial, *out_pointer = dout;
        void *arguments[] = {&rounds, &din_pointer, &partial_pointer, &out_pointer};
        REQUIRE_SUCCESS(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(grid_barrier_rounds), dim3(blocks),
                                                    dim3(64), arguments, 0, nullptr));
        std::vector<int> v(in.begin(), in.begin() + blocks * 64);
        for (int round = 0; round < rounds; ++round) {
            int total = 0;
            for (int x : v) {
                total += x;
            }
            for (int i = 0; i < blocks * 64; ++i) {
                v[i] += total % 1000 + i;
            }
        }
        check::exact("grid_barrier_rounds", dout.to_host(), v);
    }
    {
        check::DeviceBuffer<int> dout(3 * 64);
        barrier_after_exit<<<3, 128>>>(dout);
        std::vector<int> out(3 * 64);
        for (int i = 0; i < 3 * 64; ++i) {
            out[i] = (63 - (i % 64 + 1) % 64) * 2 + 1;
        }
        check::exact("barrier_after_exit", dout.to_host(), out);
    }
    return check::finish();
}
