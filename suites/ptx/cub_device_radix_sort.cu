// cub::DeviceRadixSort of unsigned keys with values.
//@ architectures: 75 80 90 90a 100 120
#include <cub/device/device_radix_sort.cuh>

#include "support/launch.cuh"

__global__ void descending(unsigned *keys, int *values, int n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        keys[i] = static_cast<unsigned>(n - i);
        values[i] = i;
    }
}

int main()
{
    const int n = 4096;
    unsigned *keys = corpus::device_array<unsigned>(n), *sorted = corpus::device_array<unsigned>(n);
    int *values = corpus::device_array<int>(n), *permuted = corpus::device_array<int>(n);
    descending<<<n / 256, 256>>>(keys, values, n);
    std::size_t bytes = 0;
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted, values, permuted, n);
    char *scratch = corpus::device_array<char>(bytes);
    corpus::succeeded(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, values, permuted, n), "sort");
    return corpus::finish("cub_device_radix_sort", corpus::read_back(sorted) == 1 && corpus::read_back(permuted) == n - 1);
}
