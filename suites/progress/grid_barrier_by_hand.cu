// Barriers over a grid written with atomics: a counter that only grows, and one that reverses its sense.
#include "../values/support/check.cuh"

#include <cuda/atomic>

using Counter = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ void barrier_by_growing_counter(unsigned *counter, unsigned round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        Counter(*counter).fetch_add(1, cuda::memory_order_acq_rel);
        while (Counter(*counter).load(cuda::memory_order_acquire) < (round + 1) * gridDim.x) {
        }
    }
    __syncthreads();
}

__global__ void grid_barrier_growing_counter(int rounds, unsigned *counter, unsigned *first, unsigned *second) {
    unsigned cells = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        const unsigned *from = round % 2 == 0 ? first : second;
        unsigned *to = round % 2 == 0 ? second : first;
        to[i] = from[i] * 3 + from[(i + 97) % cells];
        barrier_by_growing_counter(counter, round);
    }
}

__device__ void barrier_by_sense(unsigned *arrived, unsigned *sense, unsigned round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
            atomicExch(arrived, 0u);
            __threadfence();
            atomicExch(sense, round + 1);
        } else {
            while (atomicAdd(sense, 0u) != round + 1) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void grid_barrier_sense_reversing(int rounds, unsigned *arrived, unsigned *sense, unsigned *sums, unsigned *out) {
    unsigned value = blockIdx.x + 1;
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) {
            sums[round * gridDim.x + blockIdx.x] = value;
        }
        barrier_by_sense(arrived, sense, round);
        unsigned total = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) {
            total += sums[round * gridDim.x + b];
        }
        value = total * (blockIdx.x + 1) % 1009;
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = value;
    }
}

int main() {
    {
        const int blocks = 8, cells = blocks * 64, rounds = 6;
        auto state = check::patterns<unsigned>(cells, 501);
        check::DeviceBuffer<unsigned> counter(1), first(state), second(cells);
        grid_barrier_growing_counter<<<blocks, 64>>>(rounds, counter, first, second);
        for (int round = 0; round < rounds; ++round) {
            std::vector<unsigned> next(cells);
            for (int i = 0; i < cells; ++i) {
                next[i] = state[i] * 3 + state[(i + 97) % cells];
            }
            state = next;
        }
        check::exact("grid_barrier_growing_counter", first.to_host(), state);
    }
    {
        const unsigned blocks = 8, rounds = 5;
        check::DeviceBuffer<unsigned> arrived(1), sense(1), sums(blocks * rounds), dout(blocks);
        grid_barrier_sense_reversing<<<blocks, 32>>>(rounds, arrived, sense, sums, dout);
        std::vector<unsigned> value(blocks);
        for (unsigned b = 0; b < blocks; ++b) {
            value[b] = b + 1;
        }
        for (unsigned round = 0; round < rounds; ++round) {
            unsigned total = 0;
            for (unsigned v : value) {
                total += v;
            }
            for (unsigned b = 0; b < blocks; ++b) {
                value[b] = total * (b + 1) % 1009;
            }
        }
        check::exact("grid_barrier_sense_reversing", dout.to_host(), value);
    }
    return check::finish();
}
