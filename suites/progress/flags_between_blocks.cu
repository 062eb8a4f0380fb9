// Flags between blocks of one launch: block 0 waits for the last block, a chain from last to first, ping-pong.
#include "../values/support/check.cuh"

#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void first_block_waits_for_last(int *flag, int *data, int *out) {
    if (blockIdx.x == gridDim.x - 1) {
        data[threadIdx.x] = threadIdx.x * 5 + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            Flag(*flag).store(1, cuda::memory_order_release);
        }
    } else if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
    }
}

// Every block waits for its successor, so the order is the reverse of the one in which blocks start.
__global__ void chain_from_last_to_first(int *flags, int *values) {
    __shared__ int received;
    int block = blockIdx.x, last = gridDim.x - 1;
    if (threadIdx.x == 0) {
        received = 1;
        if (block < last) {
            while (Flag(flags[block + 1]).load(cuda::memory_order_acquire) == 0) {
            }
            received = values[block + 1];
        }
    }
    __syncthreads();
    int mine = __syncthreads_count(threadIdx.x % (block + 2) == 0);
    if (threadIdx.x == 0) {
        values[block] = received * 2 + mine;
        Flag(flags[block]).store(1, cuda::memory_order_release);
    }
}

// Two blocks answer each other through a volatile word and fences.
__global__ void ping_pong_between_blocks(int rounds, volatile int *turn, int *ball) {
    if (threadIdx.x == 0) {
        for (int round = 0; round < rounds; ++round) {
            while (*turn != 2 * round + static_cast<int>(blockIdx.x)) {
            }
            __threadfence();
            *ball = *ball * 2 + static_cast<int>(blockIdx.x);
            __threadfence();
            *turn = 2 * round + static_cast<int>(blockIdx.x) + 1;
        }
    }
}

int main() {
    {
        check::DeviceBuffer<int> flag(1), data(64), dout(64);
        first_block_waits_for_last<<<12, 64>>>(flag, data, dout);
        std::vector<int> out(64);
        for (int i = 0; i < 64; ++i) {
            out[i] = (63 - i) * 5 + 1;
        }
        check::exact("first_block_waits_for_last", dout.to_host(), out);
    }
    {
        const int blocks = 10;
        check::DeviceBuffer<int> flags(blocks), dvalues(blocks);
        chain_from_last_to_first<<<blocks, 64>>>(flags, dvalues);
        std::vector<int> values(blocks);
        for (int block = blocks - 1, received = 1; block >= 0; --block) {
            int step = block + 2, count = (64 + step - 1) / step;
            received = values[block] = received * 2 + count;
        }
        check::exact("chain_from_last_to_first", dvalues.to_host(), values);
    }
    {
        const int rounds = 8;
        check::DeviceBuffer<int> turn(1), ball(1);
        ping_pong_between_blocks<<<2, 32>>>(rounds, turn, ball);
        int expected = 0;
        for (int round = 0; round < 2 * rounds; ++round) {
            expected = expected * 2 + round % 2;
        }
        check::exact("ping_pong_between_blocks", ball.to_host(), std::vector<int>{expected});
    }
    return check::finish();
}
