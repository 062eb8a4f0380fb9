// CUB sorting within a block: radix sort and merge sort of keys.
//@ architectures: 75 80 90 90a 100 120
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>

#include "support/launch.cuh"

__global__ void radix(unsigned *out)
{
    using Sort = cub::BlockRadixSort<unsigned, 128, 2>;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[2] = {1000u - threadIdx.x, 5u * threadIdx.x};
    Sort(storage).Sort(keys);
    out[2 * threadIdx.x] = keys[0];
    out[2 * threadIdx.x + 1] = keys[1];
}

struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

__global__ void merge(int *out)
{
    using Sort = cub::BlockMergeSort<int, 128, 2>;
    __shared__ typename Sort::TempStorage storage;
    int keys[2] = {-static_cast<int>(threadIdx.x), 3};
    Sort(storage).Sort(keys, Less{});
    out[2 * threadIdx.x] = keys[0];
    out[2 * threadIdx.x + 1] = keys[1];
}

int main()
{
    unsigned *out = corpus::device_array<unsigned>(256);
    radix<<<1, 128>>>(out);
    merge<<<1, 128>>>(corpus::device_array<int>(256));
    return corpus::finish("cub_block_radix_sort", corpus::read_back(out) == 0 && corpus::read_back(out, 255) == 1000);
}
