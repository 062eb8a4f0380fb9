// mbarrier objects: split arrive and wait, producer and consumer warps, PTX phases, dropping out, completion functions.
#include "support/check.cuh"

#include <cuda/barrier>

// Barriers in shared memory have constructors that never run; init() does their work.
#pragma nv_diag_suppress static_var_with_dynamic_init

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void barrier_split_phases(int rounds, const int *in, int *out) {
    __shared__ BlockBarrier barrier;
    __shared__ int values[2][128];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, 128);
    }
    __syncthreads();
    int value = in[blockIdx.x * 128 + t];
    for (int round = 0; round < rounds; ++round) {
        values[round % 2][t] = value;
        auto token = barrier.arrive();
        int independent = value * 3 + round;
        barrier.wait(std::move(token));
        value = independent ^ values[round % 2][(t + 37) % 128];
    }
    out[blockIdx.x * 128 + t] = value;
}

// Warp 0 fills two buffers in turn, warps 1 to 3 empty them.
__global__ void barrier_producer_consumer(int tiles, const int *in, int *out) {
    __shared__ BlockBarrier full[2], empty[2];
    __shared__ int buffer[2][96];
    int t = threadIdx.x;
    if (t < 2) {
        init(&full[t], 128);
        init(&empty[t], 128);
    }
    __syncthreads();
    in += blockIdx.x * tiles * 96;
    if (t < 32) {
        for (int tile = 0; tile < tiles; ++tile) {
            empty[tile % 2].arrive_and_wait();
            for (int i = t; i < 96; i += 32) {
                buffer[tile % 2][i] = in[tile * 96 + i] + tile;
            }
            (void)full[tile % 2].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        int consumer = t - 32, sum = 0;
        for (int tile = 0; tile < tiles; ++tile) {
            full[tile % 2].arrive_and_wait();
            sum = sum * 5 + buffer[tile % 2][95 - consumer];
            (void)empty[tile % 2].arrive();
        }
        out[blockIdx.x * 96 + consumer] = sum;
    }
}

__device__ void wait_for_parity(unsigned barrier, unsigned parity) {
    asm volatile("{\n\t"
                 ".reg .pred done;\n\t"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n\t"
                 "@done bra finished;\n\t"
                 "bra again;\n\t"
                 "finished:\n\t"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

// Only one thread of each warp arrives, after its warp is done.
__global__ void mbarrier_ptx_parity(int rounds, unsigned *data) {
    __shared__ __align__(8) unsigned long long object;
    __shared__ unsigned words[2][256];
    int t = threadIdx.x;
    unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&object));
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 8;" ::"r"(barrier) : "memory");
    }
    __syncthreads();
    unsigned word = data[blockIdx.x * 256 + t];
    for (int round = 0; round < rounds; ++round) {
        words[round & 1][t] = word;
        __syncwarp();
        if (t % 32 == 0) {
            asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(barrier) : "memory");
        }
        wait_for_parity(barrier, round & 1);
        word = word * 1664525u + words[round & 1][(t * 5 + 1) % 256];
    }
    data[blockIdx.x * 256 + t] = word;
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(barrier) : "memory");
    }
}

// Warp w leaves after round w; the others go on without it.
__global__ void barrier_drop_out(int *out) {
    __shared__ BlockBarrier barrier;
    __shared__ int counts[4];
    int t = threadIdx.x, warp = t / 32;
    if (t == 0) {
        init(&barrier, 128);
    }
    if (t < 4) {
        counts[t] = 0;
    }
    __syncthreads();
    for (int round = 0; round < 4; ++round) {
        atomicAdd(&counts[round], t + 1);
        if (warp == round) {
            barrier.arrive_and_drop();
            return;
        }
        barrier.arrive_and_wait();
        out[(blockIdx.x * 4 + round) * 128 + t] = counts[round];
    }
}

struct DoubleTheTotal {
    int *total;
    __device__ void operator()() { *total *= 2; }
};

__global__ void barrier_completion_function(int rounds, int *out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block, DoubleTheTotal>;
    __shared__ Barrier barrier;
    __shared__ int total;
    if (threadIdx.x == 0) {
        total = blockIdx.x + 1;
        new (&barrier) Barrier(64, DoubleTheTotal{&total});
    }
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        barrier.arrive_and_wait();
        sum += total + static_cast<int>(threadIdx.x);
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

int main() {
    {
        const int blocks = 6, rounds = 11;
        auto state = check::integers<int>(blocks * 128, 151, 0, 100);
        check::DeviceBuffer<int> din(state), dout(state.size());
        barrier_split_phases<<<blocks, 128>>>(rounds, din, dout);
        for (int round = 0; round < rounds; ++round) {
            std::vector<int> next(state.size());
            for (int i = 0; i < blocks * 128; ++i) {
                next[i] = static_cast<int>(static_cast<unsigned>(state[i]) * 3 + round) ^
                          state[i / 128 * 128 + (i % 128 + 37) % 128];
            }
            state = next;
        }
        check::exact("barrier_split_phases", dout.to_host(), state);
    }
    {
        const int blocks = 4, tiles = 9;
        auto in = check::integers<int>(blocks * tiles * 96, 152, -100, 100);
        check::DeviceBuffer<int> din(in), dout(blocks * 96);
        barrier_producer_consumer<<<blocks, 128>>>(tiles, din, dout);
        std::vector<int> out(blocks * 96);
        for (int i = 0; i < blocks * 96; ++i) {
            for (int tile = 0; tile < tiles; ++tile) {
                out[i] = out[i] * 5 + in[(i / 96 * tiles + tile) * 96 + 95 - i % 96] + tile;
            }
        }
        check::exact("barrier_producer_consumer", dout.to_host(), out);
    }
    {
        const int blocks = 4, rounds = 13;
        auto state = check::patterns<unsigned>(blocks * 256, 153);
        check::DeviceBuffer<unsigned> data(state);
        mbarrier_ptx_parity<<<blocks, 256>>>(rounds, data);
        for (int round = 0; round < rounds; ++round) {
            std::vector<unsigned> next(state.size());
            for (int i = 0; i < blocks * 256; ++i) {
                next[i] = state[i] * 1664525u + state[i / 256 * 256 + (i % 256 * 5 + 1) % 256];
            }
            state = next;
        }
        check::exact("mbarrier_ptx_parity", data.to_host(), state);
    }
    {
        const int blocks = 5;
        check::DeviceBuffer<int> dout(blocks * 4 * 128);
        barrier_drop_out<<<blocks, 128>>>(dout);
        std::vector<int> out(blocks * 4 * 128);
        for (int i = 0; i < blocks * 4 * 128; ++i) {
            int round = i / 128 % 4, t = i % 128, sum = 0;
            for (int other = round * 32; other < 128; ++other) {
                sum += other + 1;
            }
            out[i] = t / 32 > round ? sum : 0;
        }
        check::exact("barrier_drop_out", dout.to_host(), out);
    }
    {
        const int blocks = 5, rounds = 6;
        check::DeviceBuffer<int> dout(blocks * 64);
        barrier_completion_function<<<blocks, 64>>>(rounds, dout);
        std::vector<int> out(blocks * 64);
        for (int i = 0; i < blocks * 64; ++i) {
            for (int round = 0; round < rounds; ++round) {
                out[i] += ((i / 64 + 1) << (round + 1)) + i % 64;
            }
        }
        check::exact("barrier_completion_function", dout.to_host(), out);
    }
    return check::finish();
}
