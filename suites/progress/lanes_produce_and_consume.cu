// Producer and consumer in one warp: a volatile flag, a mailbox with acquire and release, a ring through all lanes.
#include "../values/support/check.cuh"

#include <cuda/atomic>

__global__ void volatile_flag_between_lanes(int rounds, int *out) {
    __shared__ volatile int flag;
    __shared__ int message;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncwarp();
    int sum = 0;
    for (int round = 1; round <= rounds; ++round) {
        if (threadIdx.x == 0) {
            while (flag != 2 * round - 2) {
            }
            __threadfence_block();
            message = round * round;
            __threadfence_block();
            flag = 2 * round - 1;
        } else if (threadIdx.x == 1) {
            while (flag != 2 * round - 1) {
            }
            __threadfence_block();
            sum = sum * 3 + message;
            __threadfence_block();
            flag = 2 * round;
        }
    }
    if (threadIdx.x == 1) {
        *out = sum;
    }
}

// The even lanes feed the odd ones through global memory.
__global__ void mailboxes_between_lanes(int rounds, int *flags, int *mail, int *out) {
    int pair = threadIdx.x / 2;
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(flags[pair]);
    if (threadIdx.x % 2 == 0) {
        for (int round = 0; round < rounds; ++round) {
            while (flag.load(cuda::memory_order_acquire) != 0) {
            }
            mail[pair] = round * 10 + pair;
            flag.store(1, cuda::memory_order_release);
        }
    } else {
        int sum = 0;
        for (int round = 0; round < rounds; ++round) {
            while (flag.load(cuda::memory_order_acquire) != 1) {
            }
            sum = sum * 2 + mail[pair];
            flag.store(0, cuda::memory_order_release);
        }
        out[pair] = sum;
    }
}

// A token goes from lane 31 down to lane 0, against the order in which lanes are usually run, and round again.
__global__ void token_through_all_lanes(int rounds, int *out) {
    __shared__ int token;
    __shared__ unsigned value;
    int lane = threadIdx.x;
    if (lane == 0) {
        token = 31;
        value = 1;
    }
    __syncwarp();
    for (int round = 0; round < rounds; ++round) {
        while (atomicAdd(&token, 0) != lane) {
        }
        __threadfence_block();
        value = value * 3 + static_cast<unsigned>(lane);
        __threadfence_block();
        atomicExch(&token, (lane + 31) % 32);
    }
    __syncwarp();
    if (lane == 5) {
        *out = static_cast<int>(value);
    }
}

int main() {
    {
        check::DeviceBuffer<int> dout(1);
        volatile_flag_between_lanes<<<1, 32>>>(6, dout);
        int sum = 0;
        for (int round = 1; round <= 6; ++round) {
            sum = sum * 3 + round * round;
        }
        check::exact("volatile_flag_between_lanes", dout.to_host(), std::vector<int>{sum});
    }
    {
        const int rounds = 7;
        check::DeviceBuffer<int> flags(16), mail(16), dout(16);
        mailboxes_between_lanes<<<1, 32>>>(rounds, flags, mail, dout);
        std::vector<int> out(16);
        for (int pair = 0; pair < 16; ++pair) {
            for (int round = 0; round < rounds; ++round) {
                out[pair] = out[pair] * 2 + round * 10 + pair;
            }
        }
        check::exact("mailboxes_between_lanes", dout.to_host(), out);
    }
    {
        const int rounds = 3;
        check::DeviceBuffer<int> dout(1);
        token_through_all_lanes<<<1, 32>>>(rounds, dout);
        unsigned value = 1;
        for (int round = 0; round < rounds; ++round) {
            for (int lane = 31; lane >= 0; --lane) {
                value = value * 3 + static_cast<unsigned>(lane);
            }
        }
        check::exact("token_through_all_lanes", dout.to_host(), std::vector<int>{static_cast<int>(value)});
    }
    return check::finish();
}
