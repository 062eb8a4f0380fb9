// CUB within a warp: reduce, scan, exchange, merge sort, for full warps and parts of them.
//@ architectures: 75 80 90 90a 100 120
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "support/launch.cuh"

template <typename T, int Width> __global__ void reduce_and_scan(T *out)
{
    using Reduce = cub::WarpReduce<T, Width>;
    using Scan = cub::WarpScan<T, Width>;
    __shared__ typename Reduce::TempStorage reduce_storage[64 / Width];
    __shared__ typename Scan::TempStorage scan_storage[64 / Width];
    const int warp = threadIdx.x / Width;
    const T value = static_cast<T>(threadIdx.x % Width);
    const T sum = Reduce(reduce_storage[warp]).Sum(value);
    T prefix, total;
    Scan(scan_storage[warp]).InclusiveSum(value, prefix, total);
    out[threadIdx.x] = threadIdx.x % Width == 0 ? sum : prefix + total;
}

template __global__ void reduce_and_scan<int, 32>(int *);
template __global__ void reduce_and_scan<float, 16>(float *);
template __global__ void reduce_and_scan<double, 8>(double *);

struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

__global__ void sort_and_exchange(int *out)
{
    using Sort = cub::WarpMergeSort<int, 4, 32>;
    using Exchange = cub::WarpExchange<int, 4, 32>;
    __shared__ typename Sort::TempStorage sort_storage;
    __shared__ typename Exchange::TempStorage exchange_storage;
    int keys[4];
    for (int i = 0; i < 4; ++i) {
        keys[i] = (static_cast<int>(threadIdx.x) * 37 + i * 11) % 128;
    }
    Sort(sort_storage).Sort(keys, Less{});
    Exchange(exchange_storage).BlockedToStriped(keys, keys);
    for (int i = 0; i < 4; ++i) {
        out[threadIdx.x + 32 * i] = keys[i];
    }
}

int main()
{
    int *out = corpus::device_array<int>(128);
    sort_and_exchange<<<1, 32>>>(out);
    reduce_and_scan<int, 32><<<1, 64>>>(out);
    return corpus::finish("cub_warp_collectives", corpus::read_back(out) == 496);
}
