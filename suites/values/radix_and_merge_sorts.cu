// Sorts by counting and merging: one-bit radix split, four-bit radix over a grid, merge path, rank sort, merge by search.
#include "support/check.cuh"

#include <algorithm>

// Number of set flags before this thread in a block of 256, and in all.
__device__ int flags_before(bool flag, int *warp_counts, int &all) {
    unsigned votes = __ballot_sync(0xFFFFFFFFu, flag);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) {
        warp_counts[warp] = __popc(votes);
    }
    __syncthreads();
    int before = __popc(votes & ((1u << lane) - 1));
    all = 0;
    for (int w = 0; w < 8; ++w) {
        before += w < warp ? warp_counts[w] : 0;
        all += warp_counts[w];
    }
    __syncthreads();
    return before;
}

__global__ void sort_radix_one_bit(unsigned *keys) {
    __shared__ unsigned shared_keys[256];
    __shared__ int warp_counts[8];
    int t = threadIdx.x;
    unsigned key = keys[blockIdx.x * 256 + t];
    for (int bit = 0; bit < 32; ++bit) {
        bool is_zero = ((key >> bit) & 1) == 0;
        int zeros;
        int before = flags_before(is_zero, warp_counts, zeros);
        shared_keys[is_zero ? before : zeros + t - before] = key;
        __syncthreads();
        key = shared_keys[t];
        __syncthreads();
    }
    keys[blockIdx.x * 256 + t] = key;
}

// The three kernels of one pass of a stable radix sort over four bits; each block owns 256 keys.
__global__ void radix_count_digits(int shift, const unsigned *keys, unsigned *counts, int blocks) {
    __shared__ unsigned histogram[16];
    if (threadIdx.x < 16) {
        histogram[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&histogram[(keys[blockIdx.x * 256 + threadIdx.x] >> shift) & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) {
        counts[threadIdx.x * blocks + blockIdx.x] = histogram[threadIdx.x];
    }
}

__global__ void radix_scan_counts(int n, unsigned *counts) {
    __shared__ unsigned sums[512];
    int each = (n + 511) / 512;
    int first = min(n, int(threadIdx.x) * each), last = min(n, first + each);
    unsigned sum = 0;
    for (int i = first; i < last; ++i) {
        sum += counts[i];
    }
    sums[threadIdx.x] = sum;
    for (int distance = 1; distance < 512; distance *= 2) {
        __syncthreads();
        unsigned other = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
    }
    unsigned running = sums[threadIdx.x] - sum;
    for (int i = first; i < last; ++i) {
        unsigned count = counts[i];
        counts[i] = running;
        running += count;
    }
}

__global__ void radix_scatter_digits(int shift, const unsigned *keys, const unsigned *values, const unsigned *offsets,
                                     int blocks, unsigned *keys_out, unsigned *values_out) {
    __shared__ unsigned digits[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    unsigned digit = (keys[i] >> shift) & 15;
    digits[t] = digit;
    __syncthreads();
    unsigned rank = 0;
    for (int j = 0; j < t; ++j) {
        rank += digits[j] == digit;
    }
    unsigned target = offsets[digit * blocks + blockIdx.x] + rank;
    keys_out[target] = keys[i];
    values_out[target] = values[i];
}

// Merges runs of `width` keys pairwise; every thread finds where its four outputs start by a search on the diagonal.
__global__ void merge_path_pass(int n, int width, const int *in, int *out) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (first >= n) {
        return;
    }
    int pair = first / (2 * width) * (2 * width);
    const int *a = in + pair, *b = in + min(n, pair + width);
    int a_count = min(width, n - pair), b_count = max(0, min(width, n - pair - width));
    int diagonal = first - pair;
    int low = max(0, diagonal - b_count), high = min(diagonal, a_count);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int i = low, j = diagonal - low;
    for (int k = first; k < min(n, first + 4); ++k) {
        bool take_a = j >= b_count || (i < a_count && a[i] <= b[j]);
        out[k] = take_a ? a[i++] : b[j++];
    }
}

__global__ void sort_by_rank(int n, const float *in, float *out, int *order) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float tile[128];
    float key = i < n ? in[i] : 0;
    int rank = 0;
    for (int base = 0; base < n; base += 128) {
        tile[threadIdx.x] = base + threadIdx.x < n ? in[base + threadIdx.x] : 0;
        __syncthreads();
        for (int j = 0; j < 128 && base + j < n; ++j) {
            rank += tile[j] < key || (tile[j] == key && base + j < i);
        }
        __syncthreads();
    }
    if (i < n) {
        out[rank] = key;
        order[rank] = i;
    }
}

__global__ void count_sort_bytes(int n, const unsigned char *in, unsigned char *out) {
    __shared__ int counts[256];
    __shared__ int starts[257];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256) {
        atomicAdd(&counts[in[blockIdx.x * n + i]], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        starts[0] = 0;
        for (int v = 0; v < 256; ++v) {
            starts[v + 1] = starts[v] + counts[v];
        }
    }
    __syncthreads();
    for (int i = starts[threadIdx.x]; i < starts[threadIdx.x + 1]; ++i) {
        out[blockIdx.x * n + i] = static_cast<unsigned char>(threadIdx.x);
    }
}

int main() {
    {
        const int n = 256 * 12;
        auto keys = check::patterns<unsigned>(n, 61);
        check::DeviceBuffer<unsigned> dkeys(keys);
        sort_radix_one_bit<<<12, 256>>>(dkeys);
        for (int i = 0; i < n; i += 256) {
            std::sort(keys.begin() + i, keys.begin() + i + 256);
        }
        check::exact("sort_radix_one_bit", dkeys.to_host(), keys);
    }
    {
        const int blocks = 32, n = 256 * blocks;
        auto keys = check::integers<unsigned>(n, 62, 0, 0xFFFFF);
        std::vector<unsigned> values(n);
        for (int i = 0; i < n; ++i) {
            values[i] = i;
        }
        check::DeviceBuffer<unsigned> dkeys(keys), dvalues(values), keys_out(n), values_out(n), counts(16 * blocks);
        unsigned *from = dkeys, *to = keys_out, *from_values = dvalues, *to_values = values_out;
        for (int shift = 0; shift < 24; shift += 4) {
            radix_count_digits<<<blocks, 256>>>(shift, from, counts, blocks);
            radix_scan_counts<<<1, 512>>>(16 * blocks, counts);
            radix_scatter_digits<<<blocks, 256>>>(shift, from, from_values, counts, blocks, to, to_values);
            std::swap(from, to);
            std::swap(from_values, to_values);
        }
        std::stable_sort(values.begin(), values.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
        std::sort(keys.begin(), keys.end());
        check::exact("radix_count_digits_keys", dkeys.to_host(), keys);
        check::exact("radix_scatter_digits_values", dvalues.to_host(), values);
    }
    {
        const int n = 10001;
        auto keys = check::integers<int>(n, 63, -3000, 3000);
        check::DeviceBuffer<int> first(keys), second(n);
        int *from = first, *to = second;
        int passes = 0;
        for (int width = 1; width < n; width *= 2, ++passes) {
            // Four outputs of one thread must belong to one pair of runs.
            if (width < 2) {
                std::vector<int> pairs = keys;
                for (int i = 0; i + 1 < n; i += 2) {
                    std::sort(pairs.begin() + i, pairs.begin() + i + 2);
                }
                first.fill(pairs);
                --passes;
                continue;
            }
            merge_path_pass<<<((n + 3) / 4 + 127) / 128, 128>>>(n, width, from, to);
            std::swap(from, to);
        }
        std::sort(keys.begin(), keys.end());
        check::exact("merge_path_pass", passes % 2 == 0 ? first.to_host() : second.to_host(), keys);
    }
    {
        const int n = 1500;
        auto keys = check::integers<float>(n, 64, -200, 200);
        check::DeviceBuffer<float> dkeys(keys), dout(n);
        check::DeviceBuffer<int> dorder(n);
        sort_by_rank<<<(n + 127) / 128, 128>>>(n, dkeys, dout, dorder);
        std::vector<int> order(n);
        for (int i = 0; i < n; ++i) {
            order[i] = i;
        }
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
        std::sort(keys.begin(), keys.end());
        check::exact("sort_by_rank", dout.to_host(), keys);
        check::exact("sort_by_rank_order", dorder.to_host(), order);
    }
    {
        const int n = 3000, rows = 4;
        auto bytes = check::patterns<unsigned char>(n * rows, 65);
        check::DeviceBuffer<unsigned char> din(bytes), dout(n * rows);
        count_sort_bytes<<<rows, 256>>>(n, din, dout);
        for (int row = 0; row < rows; ++row) {
            std::sort(bytes.begin() + row * n, bytes.begin() + (row + 1) * n);
        }
        check::exact("count_sort_bytes", dout.to_host(), bytes);
    }
    return check::finish();
}
