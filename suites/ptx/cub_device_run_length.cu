// cub::DeviceRunLengthEncode: lengths of the runs of equal values.
//@ architectures: 75 80 90 90a 100 120
#include <cub/device/device_run_length_encode.cuh>

#include "support/launch.cuh"

int main()
{
    const int n = 10000;
    const int *in = corpus::device_array<int>(n);
    int *unique = corpus::device_array<int>(n), *lengths = corpus::device_array<int>(n), *runs = corpus::device_array<int>(1);
    std::size_t bytes = 0;
    cub::DeviceRunLengthEncode::Encode(nullptr, bytes, in, unique, lengths, runs, n);
    char *scratch = corpus::device_array<char>(bytes);
    corpus::succeeded(cub::DeviceRunLengthEncode::Encode(scratch, bytes, in, unique, lengths, runs, n), "encode");
    return corpus::finish("cub_device_run_length", corpus::read_back(runs) == 1 && corpus::read_back(lengths) == n);
}
