// Producer and consumer warps that meet at named barriers only: two buffers, and a line of three stages.
#include "../values/support/check.cuh"

__device__ void wait_at(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ void arrive_at(int barrier, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Barriers 1 and 2: buffer full; barriers 3 and 4: buffer empty. Warps 0 and 1 produce, warps 2 and 3 consume.
__global__ void two_buffers_at_named_barriers(int rounds, const int *in, int *out) {
    __shared__ int buffer[2][64];
    int t = threadIdx.x % 64;
    in += blockIdx.x * rounds * 64;
    if (threadIdx.x < 64) {
        for (int round = 0; round < rounds; ++round) {
            if (round >= 2) {
                wait_at(3 + round % 2, 128);
            }
            buffer[round % 2][t] = in[round * 64 + t] * 2;
            arrive_at(1 + round % 2, 128);
        }
    } else {
        int sum = 0;
        for (int round = 0; round < rounds; ++round) {
            wait_at(1 + round % 2, 128);
            sum = sum * 3 + buffer[round % 2][63 - t];
            if (round + 2 < rounds) {
                arrive_at(3 + round % 2, 128);
            }
        }
        out[blockIdx.x * 64 + t] = sum;
    }
}

// Warp 0 hands to warp 1, warp 1 to warp 2; each link has a barrier for full and one for empty.
__global__ void three_stages_at_named_barriers(int rounds, int *out) {
    __shared__ int first[32], second[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (warp == 0) {
            if (round > 0) {
                wait_at(2, 64);
            }
            first[lane] = round * 100 + lane;
            arrive_at(1, 64);
        } else if (warp == 1) {
            wait_at(1, 64);
            int value = first[lane ^ 1] * 3;
            if (round + 1 < rounds) {
                arrive_at(2, 64);
            }
            if (round > 0) {
                wait_at(4, 64);
            }
            second[lane] = value;
            arrive_at(3, 64);
        } else {
            wait_at(3, 64);
            sum += second[31 - lane] * (round + 1);
            if (round + 1 < rounds) {
                arrive_at(4, 64);
            }
        }
    }
    if (warp == 2) {
        out[blockIdx.x * 32 + lane] = sum;
    }
}

int main() {
    {
        const int blocks = 3, rounds = 9;
        auto in = check::integers<int>(blocks * rounds * 64, 521, -50, 50);
        check::DeviceBuffer<int> din(in), dout(blocks * 64);
        two_buffers_at_named_barriers<<<blocks, 128>>>(rounds, din, dout);
        std::vector<int> out(blocks * 64);
        for (int i = 0; i < blocks * 64; ++i) {
            for (int round = 0; round < rounds; ++round) {
                out[i] = out[i] * 3 + in[(i / 64 * rounds + round) * 64 + 63 - i % 64] * 2;
            }
        }
        check::exact("two_buffers_at_named_barriers", dout.to_host(), out);
    }
    {
        const int blocks = 2, rounds = 7;
        check::DeviceBuffer<int> dout(blocks * 32);
        three_stages_at_named_barriers<<<blocks, 96>>>(rounds, dout);
        std::vector<int> out(blocks * 32);
        for (int i = 0; i < blocks * 32; ++i) {
            for (int round = 0; round < rounds; ++round) {
                out[i] += (round * 100 + ((31 - i % 32) ^ 1)) * 3 * (round + 1);
            }
        }
        check::exact("three_stages_at_named_barriers", dout.to_host(), out);
    }
    return check::finish();
}
