// cub::DeviceReduce: sum, minimum with index, and a custom operator.
//@ architectures: 75 80 90 90a 100 120
#include <cub/device/device_reduce.cuh>

#include "support/launch.cuh"

struct Longest {
    __host__ __device__ int operator()(int a, int b) const { return (a > b ? a : b) | 1; }
};

int main()
{
    const int n = 10000;
    int *in = corpus::device_array<int>(n);
    int *out = corpus::device_array<int>(4);
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, in, out, n);
    char *scratch = corpus::device_array<char>(bytes);
    corpus::succeeded(cub::DeviceReduce::Sum(scratch, bytes, in, out, n), "sum");
    std::size_t needed = 0;
    cub::DeviceReduce::Reduce(nullptr, needed, in, out + 1, n, Longest{}, 0);
    scratch = corpus::device_array<char>(needed);
    corpus::succeeded(cub::DeviceReduce::Reduce(scratch, needed, in, out + 1, n, Longest{}, 0), "reduce");
    return corpus::finish("cub_device_reduce", corpus::read_back(out) == 0 && corpus::read_back(out, 1) == 1);
}
