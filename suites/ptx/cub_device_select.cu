// cub::DeviceSelect by predicate, and cub::DevicePartition by flags.
//@ architectures: 75 80 90 90a 100 120
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "support/launch.cuh"

struct IsZero {
    __host__ __device__ bool operator()(int a) const { return a == 0; }
};

int main()
{
    const int n = 10000;
    int *in = corpus::device_array<int>(n);
    int *out = corpus::device_array<int>(n);
    int *count = corpus::device_array<int>(1);
    std::size_t bytes = 0;
    cub::DeviceSelect::If(nullptr, bytes, in, out, count, n, IsZero{});
    char *scratch = corpus::device_array<char>(bytes);
    corpus::succeeded(cub::DeviceSelect::If(scratch, bytes, in, out, count, n, IsZero{}), "select");
    const bool correct = corpus::read_back(count) == n;
    const char *flags = corpus::device_array<char>(n);
    std::size_t needed = 0;
    cub::DevicePartition::Flagged(nullptr, needed, in, flags, out, count, n);
    scratch = corpus::device_array<char>(needed);
    corpus::succeeded(cub::DevicePartition::Flagged(scratch, needed, in, flags, out, count, n), "partition");
    return corpus::finish("cub_device_select", correct && corpus::read_back(count) == 0);
}
