// Exchange inside a warp: shuffles of all kinds and widths, votes, matches, reductions, active masks, elections.
#include "support/check.cuh"

__global__ void shuffle_kinds(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    out[8 * i] = __shfl_sync(0xFFFFFFFFu, v, 5);
    out[8 * i + 1] = __shfl_sync(0xFFFFFFFFu, v, v & 63);
    out[8 * i + 2] = __shfl_up_sync(0xFFFFFFFFu, v, 3);
    out[8 * i + 3] = __shfl_down_sync(0xFFFFFFFFu, v, 7);
    out[8 * i + 4] = __shfl_xor_sync(0xFFFFFFFFu, v, 21);
    out[8 * i + 5] = __shfl_sync(0xFFFFFFFFu, v, 3, 8);
    out[8 * i + 6] = __shfl_up_sync(0xFFFFFFFFu, v, 2, 16);
    out[8 * i + 7] = __shfl_down_sync(0xFFFFFFFFu, v, 1, 4);
}

__global__ void shuffle_wide_types(const double *in, double *out, unsigned long long *words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_xor_sync(0xFFFFFFFFu, in[i], 9) - __shfl_down_sync(0xFFFFFFFFu, in[i], 16);
    words[i] = __shfl_sync(0xFFFFFFFFu, 0x100000001ull * static_cast<unsigned long long>(i + 1), (threadIdx.x * 7 + 3) % 32);
}

__global__ void votes_in_branches(const int *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    unsigned taken = __ballot_sync(0xFFFFFFFFu, v % 2 == 0);
    unsigned inner;
    if (v % 2 == 0) {
        inner = __ballot_sync(taken, v % 3 == 0);
    } else {
        inner = ~__ballot_sync(~taken, v % 5 == 0);
    }
    out[4 * i] = taken;
    out[4 * i + 1] = inner;
    out[4 * i + 2] = __any_sync(0xFFFFFFFFu, v > 990) != 0;
    out[4 * i + 3] = __all_sync(0xFFFFFFFFu, v < 970) != 0;
}

__global__ void matches(const int *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all_equal, all_small_equal;
    out[4 * i] = __match_any_sync(0xFFFFFFFFu, in[i] % 5);
    out[4 * i + 1] = __match_any_sync(0xFFFFFFFFu, static_cast<unsigned long long>(in[i] % 3) << 40);
    out[4 * i + 2] = __match_all_sync(0xFFFFFFFFu, in[i] / 2000, &all_equal);
    out[4 * i + 3] = __match_all_sync(0xFFFFFFFFu, in[i] % 2, &all_small_equal) | (all_equal << 1) | all_small_equal;
}

__global__ void reductions_of_warps(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i] - 500;
    unsigned half = threadIdx.x % 32 < 16 ? 0x0000FFFFu : 0xFFFF0000u;
    out[6 * i] = __reduce_add_sync(0xFFFFFFFFu, v);
    out[6 * i + 1] = __reduce_min_sync(half, v);
    out[6 * i + 2] = __reduce_max_sync(0xFFFFFFFFu, v);
    out[6 * i + 3] = static_cast<int>(__reduce_and_sync(half, static_cast<unsigned>(v)));
    out[6 * i + 4] = static_cast<int>(__reduce_or_sync(0xFFFFFFFFu, static_cast<unsigned>(v)));
    out[6 * i + 5] = static_cast<int>(__reduce_xor_sync(0xFFFFFFFFu, static_cast<unsigned>(v)));
}

// Which threads are active together is not promised, but each sees itself, and the leaders of one vote count everyone.
__global__ void active_masks(const int *in, int *counts, int *elected) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (in[i] % 4 == 0) {
        unsigned mask = __activemask();
        if ((mask >> lane & 1) == 0) {
            atomicAdd(&counts[1], 1000000);
        }
        if (lane == __ffs(static_cast<int>(mask)) - 1) {
            atomicAdd(&counts[0], __popc(mask));
        }
    }
    __syncwarp();
    unsigned leader, is_leader;
    asm volatile("{\n\t.reg .pred chosen;\n\telect.sync %0|chosen, 0xFFFFFFFF;\n\tselp.u32 %1, 1, 0, chosen;\n\t}"
                 : "=r"(leader), "=r"(is_leader));
    if (is_leader) {
        atomicAdd(&counts[2], 1);
    }
    elected[i] = leader == __shfl_sync(0xFFFFFFFFu, leader, 0) && (is_leader != 0) == (static_cast<unsigned>(lane) == leader);
}

int main() {
    const int n = 128 * 12;
    auto in = check::integers<int>(n, 341, 0, 999);
    check::DeviceBuffer<int> din(in);
    {
        check::DeviceBuffer<int> dout(8 * n);
        shuffle_kinds<<<n / 128, 128>>>(din, dout);
        std::vector<int> out(8 * n);
        for (int i = 0; i < n; ++i) {
            int lane = i % 32, base = i - lane;
            out[8 * i] = in[base + 5];
            out[8 * i + 1] = in[base + in[i] % 32];
            out[8 * i + 2] = in[lane < 3 ? i : i - 3];
            out[8 * i + 3] = in[lane + 7 > 31 ? i : i + 7];
            out[8 * i + 4] = in[base + (lane ^ 21)];
            out[8 * i + 5] = in[base + lane / 8 * 8 + 3];
            out[8 * i + 6] = in[lane % 16 < 2 ? i : i - 2];
            out[8 * i + 7] = in[lane % 4 == 3 ? i : i + 1];
        }
        check::exact("shuffle_kinds", dout.to_host(), out);
    }
    {
        auto reals = check::reals<double>(n, 342, -1, 1);
        check::DeviceBuffer<double> dreals(reals), dout(n);
        check::DeviceBuffer<unsigned long long> dwords(n);
        shuffle_wide_types<<<n / 128, 128>>>(dreals, dout, dwords);
        std::vector<double> out(n);
        std::vector<unsigned long long> words(n);
        for (int i = 0; i < n; ++i) {
            int lane = i % 32, base = i - lane;
            out[i] = reals[base + (lane ^ 9)] - reals[lane < 16 ? i + 16 : i];
            words[i] = 0x100000001ull * static_cast<unsigned long long>(base + (i % 128 * 7 + 3) % 32 + 1);
        }
        check::exact("shuffle_wide_types", dout.to_host(), out);
        check::exact("shuffle_wide_types_words", dwords.to_host(), words);
    }
    auto mask_where = [&](int base, auto condition) {
        unsigned mask = 0;
        for (int lane = 0; lane < 32; ++lane) {
            mask |= condition(in[base + lane], lane) ? 1u << lane : 0;
        }
        return mask;
    };
    {
        check::DeviceBuffer<unsigned> dout(4 * n);
        votes_in_branches<<<n / 128, 128>>>(din, dout);
        std::vector<unsigned> out(4 * n);
        for (int i = 0; i < n; ++i) {
            int base = i / 32 * 32;
            out[4 * i] = mask_where(base, [](int v, int) { return v % 2 == 0; });
            out[4 * i + 1] = in[i] % 2 == 0 ? mask_where(base, [](int v, int) { return v % 6 == 0; })
                                            : ~mask_where(base, [](int v, int) { return v % 2 == 1 && v % 5 == 0; });
            out[4 * i + 2] = mask_where(base, [](int v, int) { return v > 990; }) != 0;
            out[4 * i + 3] = mask_where(base, [](int v, int) { return v < 970; }) == 0xFFFFFFFFu;
        }
        check::exact("votes_in_branches", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<unsigned> dout(4 * n);
        matches<<<n / 128, 128>>>(din, dout);
        std::vector<unsigned> out(4 * n);
        for (int i = 0; i < n; ++i) {
            int base = i / 32 * 32;
            out[4 * i] = mask_where(base, [&](int v, int) { return v % 5 == in[i] % 5; });
            out[4 * i + 1] = mask_where(base, [&](int v, int) { return v % 3 == in[i] % 3; });
            out[4 * i + 2] = 0xFFFFFFFFu;
            bool all_equal = mask_where(base, [&](int v, int) { return v % 2 == in[i] % 2; }) == 0xFFFFFFFFu;
            out[4 * i + 3] = (all_equal ? 0xFFFFFFFFu : 0) | 2u | all_equal;
        }
        check::exact("matches", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dout(6 * n);
        reductions_of_warps<<<n / 128, 128>>>(din, dout);
        std::vector<int> out(6 * n);
        for (int i = 0; i < n; ++i) {
            int base = i / 32 * 32, half = i / 16 * 16;
            int *o = &out[6 * i];
            o[1] = in[half] - 500;
            o[2] = in[base] - 500;
            o[3] = -1;
            for (int k = 0; k < 32; ++k) {
                int v = in[base + k] - 500;
                o[0] += v;
                o[2] = v > o[2] ? v : o[2];
                o[4] |= v;
                o[5] ^= v;
                if (k < 16) {
                    int w = in[half + k] - 500;
                    o[1] = w < o[1] ? w : o[1];
                    o[3] &= w;
                }
            }
        }
        check::exact("reductions_of_warps", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dcounts(3), delected(n);
        active_masks<<<n / 128, 128>>>(din, dcounts, delected);
        int multiples = 0;
        for (int v : in) {
            multiples += v % 4 == 0;
        }
        check::exact("active_masks", dcounts.to_host(), std::vector<int>{multiples, 0, n / 32});
        check::exact("active_masks_elected", delected.to_host(), std::vector<int>(n, 1));
    }
    return check::finish();
}
