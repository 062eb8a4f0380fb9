// Cooperative groups: tile reductions and scans, coalesced, labeled and binary partitions, tiles wider than a warp.
#include "support/check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void tile_of_sixteen_sums(const int *in, int *sums) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
        value += tile.shfl_down(value, offset);
    }
    if (tile.thread_rank() == 0) {
        sums[i / 16] = value;
    }
}

__global__ void tile_reduce_operators(const int *in, int *sums, int *maxima, unsigned *ors) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = cg::reduce(tile, in[i], cg::plus<int>());
    int maximum = cg::reduce(tile, in[i], cg::greater<int>());
    unsigned bits = cg::reduce(tile, 1u << (in[i] & 31), cg::bit_or<unsigned>());
    if (tile.thread_rank() == 0) {
        sums[i / 32] = sum;
        maxima[i / 32] = maximum;
        ors[i / 32] = bits;
    }
}

__global__ void tile_scans(const int *in, int *inclusive, int *exclusive) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    inclusive[i] = cg::inclusive_scan(tile, in[i]);
    exclusive[i] = cg::exclusive_scan(tile, in[i], cg::plus<int>());
}

// The threads that take the branch add up among themselves, one atomic for each group.
__global__ void coalesced_count(int n, const int *in, int *count, int *slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) {
        auto active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0) {
            base = atomicAdd(count, static_cast<int>(active.size()));
        }
        base = active.shfl(base, 0);
        slots[base + active.thread_rank()] = in[i];
    }
}

__global__ void labeled_partition_sums(const int *in, const int *label, int *sums) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto group = cg::labeled_partition(tile, label[i]);
    int sum = cg::reduce(group, in[i], cg::plus<int>());
    if (group.thread_rank() == 0) {
        atomicAdd(&sums[label[i]], sum);
    }
}

__global__ void binary_partition_ranks(const int *in, int *ranks) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool odd = (in[i] & 1) != 0;
    auto group = cg::binary_partition(tile, odd);
    ranks[i] = static_cast<int>(group.thread_rank()) * 100 + static_cast<int>(group.size());
}

__global__ void tile_of_two_warps(const int *in, int *sums) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = cg::reduce(tile, in[i], cg::plus<int>());
    if (tile.thread_rank() == 0) {
        sums[i / 64] = sum;
    }
}

int main() {
    const int n = 256 * 16;
    auto in = check::integers<int>(n, 131, -1000, 1000);
    check::DeviceBuffer<int> din(in);
    auto group_sums = [&](int width) {
        std::vector<int> sums(n / width);
        for (int i = 0; i < n; ++i) {
            sums[i / width] += in[i];
        }
        return sums;
    };
    {
        check::DeviceBuffer<int> sums(n / 16);
        tile_of_sixteen_sums<<<n / 256, 256>>>(din, sums);
        check::exact("tile_of_sixteen_sums", sums.to_host(), group_sums(16));
    }
    {
        check::DeviceBuffer<int> sums(n / 32), maxima(n / 32);
        check::DeviceBuffer<unsigned> ors(n / 32);
        tile_reduce_operators<<<n / 256, 256>>>(din, sums, maxima, ors);
        std::vector<int> expected_maxima(n / 32, -100000);
        std::vector<unsigned> expected_ors(n / 32);
        for (int i = 0; i < n; ++i) {
            expected_maxima[i / 32] = in[i] > expected_maxima[i / 32] ? in[i] : expected_maxima[i / 32];
            expected_ors[i / 32] |= 1u << (in[i] & 31);
        }
        check::exact("tile_reduce_operators_plus", sums.to_host(), group_sums(32));
        check::exact("tile_reduce_operators_greater", maxima.to_host(), expected_maxima);
        check::exact("tile_reduce_operators_or", ors.to_host(), expected_ors);
    }
    {
        check::DeviceBuffer<int> inclusive(n), exclusive(n);
        tile_scans<<<n / 256, 256>>>(din, inclusive, exclusive);
        std::vector<int> with(n), without(n);
        for (int i = 0; i < n; ++i) {
            without[i] = i % 8 ? with[i - 1] : 0;
            with[i] = without[i] + in[i];
        }
        check::exact("tile_scans_inclusive", inclusive.to_host(), with);
        check::exact("tile_scans_exclusive", exclusive.to_host(), without);
    }
    {
        // The order of the slots is free; what they hold is not.
        check::DeviceBuffer<int> count(1), slots(n);
        coalesced_count<<<n / 128, 128>>>(n - 7, din, count, slots);
        auto got = slots.to_host();
        std::vector<long long> expected(3), found(3);
        for (int i = 0; i < n; ++i) {
            if (i < n - 7 && in[i] % 3 == 0) {
                ++expected[0];
                expected[1] += in[i];
                expected[2] += static_cast<long long>(in[i]) * in[i];
            }
            found[1] += got[i];
            found[2] += static_cast<long long>(got[i]) * got[i];
        }
        found[0] = count.to_host()[0];
        check::exact("coalesced_count", found, expected);
    }
    {
        auto label = check::integers<int>(n, 132, 0, 6);
        check::DeviceBuffer<int> dlabel(label), sums(7);
        labeled_partition_sums<<<n / 256, 256>>>(din, dlabel, sums);
        std::vector<int> expected(7);
        for (int i = 0; i < n; ++i) {
            expected[label[i]] += in[i];
        }
        check::exact("labeled_partition_sums", sums.to_host(), expected);
    }
    {
        check::DeviceBuffer<int> ranks(n);
        binary_partition_ranks<<<n / 256, 256>>>(din, ranks);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            int rank = 0, size = 0;
            for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
                bool same = (in[j] & 1) == (in[i] & 1);
                rank += same && j < i;
                size += same;
            }
            expected[i] = rank * 100 + size;
        }
        check::exact("binary_partition_ranks", ranks.to_host(), expected);
    }
    {
        check::DeviceBuffer<int> sums(n / 64);
        tile_of_two_warps<<<n / 256, 256>>>(din, sums);
        check::exact("tile_of_two_warps", sums.to_host(), group_sums(64));
    }
    return check::finish();
}
