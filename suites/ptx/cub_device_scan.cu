// cub::DeviceScan: exclusive sum and an inclusive scan with a custom operator.
//@ architectures: 75 80 90 90a 100 120
#include <cub/device/device_scan.cuh>

#include "support/launch.cuh"

struct Maximum {
    __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

int main()
{
    const int n = 10000;
    int *in = corpus::device_array<int>(n);
    int *out = corpus::device_array<int>(n);
    cudaMemset(in, 1, n * sizeof(int));
    std::size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, n);
    char *scratch = corpus::device_array<char>(bytes);
    corpus::succeeded(cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, n), "exclusive sum");
    const bool correct = corpus::read_back(out, 10) == 0x01010101 * 10;
    std::size_t needed = 0;
    cub::DeviceScan::InclusiveScan(nullptr, needed, in, out, Maximum{}, n);
    scratch = corpus::device_array<char>(needed);
    corpus::succeeded(cub::DeviceScan::InclusiveScan(scratch, needed, in, out, Maximum{}, n), "inclusive scan");
    return corpus::finish("cub_device_scan", correct && corpus::read_back(out, n - 1) == 0x01010101);
}
