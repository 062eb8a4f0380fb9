// cub::DeviceHistogram with evenly spaced bins.
//@ architectures: 75 80 90 90a 100 120
#include <cub/device/device_histogram.cuh>

#include "support/launch.cuh"

int main()
{
    const int n = 10000;
    const float *in = corpus::device_array<float>(n);
    int *histogram = corpus::device_array<int>(16);
    std::size_t bytes = 0;
    cub::DeviceHistogram::HistogramEven(nullptr, bytes, in, histogram, 17, 0.0f, 16.0f, n);
    char *scratch = corpus::device_array<char>(bytes);
    corpus::succeeded(cub::DeviceHistogram::HistogramEven(scratch, bytes, in, histogram, 17, 0.0f, 16.0f, n), "histogram");
    return corpus::finish("cub_device_histogram", corpus::read_back(histogram) == n);
}
