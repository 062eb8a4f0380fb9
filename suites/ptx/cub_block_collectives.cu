// CUB within a block: load, store, exchange, reduce, scan, discontinuity, histogram.
//@ architectures: 75 80 90 90a 100 120
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#include "support/launch.cuh"

template <cub::BlockReduceAlgorithm Algorithm> __global__ void reduce(int *out, const int *in)
{
    using BlockReduce = cub::BlockReduce<int, 128, Algorithm>;
    __shared__ typename BlockReduce::TempStorage storage;
    const int sum = BlockReduce(storage).Sum(in[threadIdx.x]);
    if (threadIdx.x == 0) {
        *out = sum;
    }
}

template __global__ void reduce<cub::BLOCK_REDUCE_RAKING>(int *, const int *);
template __global__ void reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(int *, const int *);
template __global__ void reduce<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(int *, const int *);

__global__ void scan_with_transposed_io(int *out, const int *in)
{
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    using Scan = cub::BlockScan<int, 128>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan;
    } storage;
    int items[4];
    Load(storage.load).Load(in, items);
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(items, items);
    __syncthreads();
    Store(storage.store).Store(out, items);
}

__global__ void heads_and_histogram(int *out, unsigned *histogram, const unsigned char *in)
{
    using Discontinuity = cub::BlockDiscontinuity<int, 128>;
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename Discontinuity::TempStorage heads_storage;
    __shared__ typename Histogram::TempStorage histogram_storage;
    __shared__ unsigned bins[256];
    unsigned char samples[4];
    int keys[4], heads[4];
    for (int i = 0; i < 4; ++i) {
        samples[i] = in[threadIdx.x * 4 + i];
        keys[i] = samples[i];
    }
    Discontinuity(heads_storage).FlagHeads(heads, keys, ::cuda::std::not_equal_to<>{});
    Histogram(histogram_storage).Histogram(samples, bins);
    __syncthreads();
    out[threadIdx.x] = heads[0] + heads[3];
    histogram[threadIdx.x] = bins[threadIdx.x];
}

__global__ void exchange(int *out)
{
    using Exchange = cub::BlockExchange<int, 128, 4>;
    __shared__ typename Exchange::TempStorage storage;
    int items[4];
    for (int i = 0; i < 4; ++i) {
        items[i] = static_cast<int>(threadIdx.x) * 4 + i;
    }
    Exchange(storage).BlockedToStriped(items, items);
    for (int i = 0; i < 4; ++i) {
        out[threadIdx.x + i * 128] = items[i];
    }
}

int main()
{
    int *out = corpus::device_array<int>(512);
    const int *in = corpus::device_array<int>(512);
    reduce<cub::BLOCK_REDUCE_RAKING><<<1, 128>>>(out, in);
    scan_with_transposed_io<<<1, 128>>>(out, in);
    heads_and_histogram<<<1, 128>>>(out, corpus::device_array<unsigned>(256), corpus::device_array<unsigned char>(512));
    exchange<<<1, 128>>>(out);
    return corpus::finish("cub_block_collectives", corpus::read_back(out, 300) == 300);
}
