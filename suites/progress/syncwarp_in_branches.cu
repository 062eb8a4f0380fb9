// Lanes of one warp that meet at __syncwarp calls of different branches, of different loops, and in part of the warp.
#include "../values/support/check.cuh"

// The two sides of the branch exchange through shared memory; each side has its own __syncwarp.
__global__ void syncwarp_on_both_sides(const int *in, int *out) {
    __shared__ int low[16], high[16];
    int lane = threadIdx.x, v = in[blockIdx.x * 32 + lane], result;
    if (lane < 16) {
        low[lane] = v * 2;
        __syncwarp();
        result = high[15 - lane] + 1;
    } else {
        high[lane - 16] = v * 3;
        __syncwarp();
        result = low[lane - 16] - 1;
    }
    out[blockIdx.x * 32 + lane] = result;
}

// One side makes long steps, the other short ones; they meet once in each round.
__global__ void syncwarp_in_two_loops(int rounds, int *out) {
    __shared__ unsigned even[16], odd[16];
    int lane = threadIdx.x, pair = lane / 2;
    unsigned value = lane + 1;
    if (lane % 2 == 0) {
        for (int round = 0; round < rounds; ++round) {
            for (int k = 0; k < 10; ++k) {
                value = value * 5 + 3;
            }
            even[pair] = value;
            __syncwarp();
            value += odd[pair];
            __syncwarp();
        }
    } else {
        int round = 0;
        while (round < rounds) {
            value ^= value << 3;
            odd[pair] = value;
            __syncwarp();
            value += even[(pair + 1) % 16];
            __syncwarp();
            ++round;
        }
    }
    out[blockIdx.x * 32 + lane] = static_cast<int>(value);
}

// Four groups of eight lanes, each with its own mask and its own number of rounds.
__global__ void syncwarp_in_quarters(int *out) {
    __shared__ int cells[32];
    int lane = threadIdx.x, group = lane / 8, base = group * 8;
    unsigned mask = 0xFFu << base;
    int value = lane;
    for (int round = 0; round <= group * 2; ++round) {
        cells[lane] = value;
        __syncwarp(mask);
        value = value * 2 + cells[base + (lane + 1) % 8];
        __syncwarp(mask);
    }
    out[blockIdx.x * 32 + lane] = value;
}

int main() {
    {
        const int blocks = 4;
        auto in = check::integers<int>(blocks * 32, 531, -100, 100);
        check::DeviceBuffer<int> din(in), dout(blocks * 32);
        syncwarp_on_both_sides<<<blocks, 32>>>(din, dout);
        std::vector<int> out(blocks * 32);
        for (int i = 0; i < blocks * 32; ++i) {
            int lane = i % 32, base = i - lane;
            out[i] = lane < 16 ? in[base + 31 - lane] * 3 + 1 : in[base + lane - 16] * 2 - 1;
        }
        check::exact("syncwarp_on_both_sides", dout.to_host(), out);
    }
    {
        const int blocks = 3, rounds = 6;
        check::DeviceBuffer<int> dout(blocks * 32);
        syncwarp_in_two_loops<<<blocks, 32>>>(rounds, dout);
        std::vector<unsigned> value(32);
        for (unsigned lane = 0; lane < 32; ++lane) {
            value[lane] = lane + 1;
        }
        for (int round = 0; round < rounds; ++round) {
            for (int lane = 0; lane < 32; ++lane) {
                for (int k = 0; lane % 2 == 0 && k < 10; ++k) {
                    value[lane] = value[lane] * 5 + 3;
                }
                value[lane] ^= lane % 2 ? value[lane] << 3 : 0;
            }
            std::vector<unsigned> next = value;
            for (int lane = 0; lane < 32; ++lane) {
                next[lane] += lane % 2 == 0 ? value[lane + 1] : value[(lane / 2 + 1) % 16 * 2];
            }
            value = next;
        }
        std::vector<int> out(blocks * 32);
        for (int i = 0; i < blocks * 32; ++i) {
            out[i] = static_cast<int>(value[i % 32]);
        }
        check::exact("syncwarp_in_two_loops", dout.to_host(), out);
    }
    {
        const int blocks = 2;
        check::DeviceBuffer<int> dout(blocks * 32);
        syncwarp_in_quarters<<<blocks, 32>>>(dout);
        std::vector<int> out(blocks * 32);
        for (int group = 0; group < blocks * 4; ++group) {
            std::vector<int> v(8);
            for (int k = 0; k < 8; ++k) {
                v[k] = group % 4 * 8 + k;
            }
            for (int round = 0; round <= group % 4 * 2; ++round) {
                std::vector<int> next(8);
                for (int k = 0; k < 8; ++k) {
                    next[k] = v[k] * 2 + v[(k + 1) % 8];
                }
                v = next;
            }
            for (int k = 0; k < 8; ++k) {
                out[group * 8 + k] = v[k];
            }
        }
        check::exact("syncwarp_in_quarters", dout.to_host(), out);
    }
    return check::finish();
}
