// CUB inside kernels: BlockReduce, BlockScan, BlockRadixSort, BlockLoad, WarpReduce, WarpScan, BlockHistogram.
#include "support/check.cuh"

#include <algorithm>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

__global__ void cub_block_reduce(const int *in, int *sums, int *maxima) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int v = in[blockIdx.x * 128 + threadIdx.x];
    int sum = Reduce(storage).Sum(v);
    __syncthreads();
    int maximum = Reduce(storage).Reduce(v, [](int a, int b) { return a > b ? a : b; });
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        maxima[blockIdx.x] = maximum;
    }
}

__global__ void cub_block_scan(const int *in, int *out) {
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    using Scan = cub::BlockScan<int, 128>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan;
    } storage;
    int items[4];
    Load(storage.load).Load(in + blockIdx.x * 512, items);
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(items, items);
    __syncthreads();
    Store(storage.store).Store(out + blockIdx.x * 512, items);
}

__global__ void cub_block_radix_sort(unsigned *keys, int *values) {
    using Sort = cub::BlockRadixSort<unsigned, 128, 4, int>;
    __shared__ typename Sort::TempStorage storage;
    unsigned key[4];
    int value[4];
    int base = blockIdx.x * 512 + threadIdx.x * 4;
    for (int k = 0; k < 4; ++k) {
        key[k] = keys[base + k];
        value[k] = values[base + k];
    }
    Sort(storage).Sort(key, value);
    for (int k = 0; k < 4; ++k) {
        keys[base + k] = key[k];
        values[base + k] = value[k];
    }
}

__global__ void cub_warp_reduce_and_scan(const int *in, int *sums, int *scans) {
    using Reduce = cub::WarpReduce<int>;
    using Scan = cub::WarpScan<int>;
    __shared__ typename Reduce::TempStorage reduce_storage[4];
    __shared__ typename Scan::TempStorage scan_storage[4];
    int i = blockIdx.x * 128 + threadIdx.x, warp = threadIdx.x / 32;
    int sum = Reduce(reduce_storage[warp]).Sum(in[i]);
    if (threadIdx.x % 32 == 0) {
        sums[i / 32] = sum;
    }
    int scanned;
    Scan(scan_storage[warp]).InclusiveSum(in[i], scanned);
    scans[i] = scanned;
}

__global__ void cub_block_histogram(const unsigned char *in, unsigned *bins) {
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned counts[256];
    unsigned char items[4];
    for (int k = 0; k < 4; ++k) {
        items[k] = in[(blockIdx.x * 128 + threadIdx.x) * 4 + k];
    }
    Histogram(storage).Histogram(items, counts);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += 128) {
        bins[blockIdx.x * 256 + b] = counts[b];
    }
}

int main() {
    const int n = 512 * 8;
    auto in = check::integers<int>(n, 411, -1000, 1000);
    check::DeviceBuffer<int> din(in);
    {
        check::DeviceBuffer<int> dsums(n / 128), dmaxima(n / 128);
        cub_block_reduce<<<n / 128, 128>>>(din, dsums, dmaxima);
        std::vector<int> sums(n / 128), maxima(n / 128, -2000);
        for (int i = 0; i < n; ++i) {
            sums[i / 128] += in[i];
            maxima[i / 128] = std::max(maxima[i / 128], in[i]);
        }
        check::exact("cub_block_reduce_sum", dsums.to_host(), sums);
        check::exact("cub_block_reduce_maximum", dmaxima.to_host(), maxima);
    }
    {
        check::DeviceBuffer<int> dout(n);
        cub_block_scan<<<n / 512, 128>>>(din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = i % 512 ? out[i - 1] + in[i - 1] : 0;
        }
        check::exact("cub_block_scan", dout.to_host(), out);
    }
    {
        auto keys = check::integers<unsigned>(n, 412, 0, 200);
        std::vector<int> values(n);
        for (int i = 0; i < n; ++i) {
            values[i] = i;
        }
        check::DeviceBuffer<unsigned> dkeys(keys);
        check::DeviceBuffer<int> dvalues(values);
        cub_block_radix_sort<<<n / 512, 128>>>(dkeys, dvalues);
        for (int base = 0; base < n; base += 512) {
            std::stable_sort(values.begin() + base, values.begin() + base + 512,
                             [&](int a, int b) { return keys[a] < keys[b]; });
        }
        std::vector<unsigned> sorted(n);
        for (int i = 0; i < n; ++i) {
            sorted[i] = keys[values[i]];
        }
        check::exact("cub_block_radix_sort_keys", dkeys.to_host(), sorted);
        check::exact("cub_block_radix_sort_values", dvalues.to_host(), values);
    }
    {
        check::DeviceBuffer<int> dsums(n / 32), dscans(n);
        cub_warp_reduce_and_scan<<<n / 128, 128>>>(din, dsums, dscans);
        std::vector<int> sums(n / 32), scans(n);
        for (int i = 0; i < n; ++i) {
            sums[i / 32] += in[i];
            scans[i] = sums[i / 32];
        }
        check::exact("cub_warp_reduce", dsums.to_host(), sums);
        check::exact("cub_warp_scan", dscans.to_host(), scans);
    }
    {
        auto bytes = check::patterns<unsigned char>(n, 413);
        check::DeviceBuffer<unsigned char> dbytes(bytes);
        check::DeviceBuffer<unsigned> dbins(n / 512 * 256);
        cub_block_histogram<<<n / 512, 128>>>(dbytes, dbins);
        std::vector<unsigned> bins(n / 512 * 256);
        for (int i = 0; i < n; ++i) {
            ++bins[i / 512 * 256 + bytes[i]];
        }
        check::exact("cub_block_histogram", dbins.to_host(), bins);
    }
    return check::finish();
}
