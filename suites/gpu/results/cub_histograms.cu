// CUB: histograms with bins of one width and of any, and of several channels at once.
#include "support.h"
#include <cub/device/device_histogram.cuh>
#include <cuda/std/array>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv) / 4 * 4;
    int n = static_cast<int>(count);
    std::vector<int> samples = numbers<int>(count, 51, 1000), levels{0, 3, 10, 50, 400, 999};
    std::vector<unsigned char> pixels = numbers<unsigned char>(count, 52, 256);
    std::vector<int> even(10), range(levels.size() - 1), red(256), green(256), blue(256);
    for (size_t i = 0; i < count; i++) {
        even[samples[i] / 100]++;
        for (size_t bin = 0; bin + 1 < levels.size(); bin++) {
            range[bin] += samples[i] >= levels[bin] && samples[i] < levels[bin + 1];
        }
        if (i % 4 < 3) {
            (i % 4 == 0 ? red : i % 4 == 1 ? green : blue)[pixels[i]]++;
        }
    }
    Device<int> in(samples), bins(256), bins_green(256), bins_blue(256), device_levels(levels);
    Device<unsigned char> image(pixels);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(memory, bytes, in.get(), bins.get(), 11, 0, 1000, n);
    });
    expect("even", bins.first(10), even);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceHistogram::HistogramRange(memory, bytes, in.get(), bins.get(), static_cast<int>(levels.size()),
                                                    device_levels.get(), n);
    });
    expect("range", bins.first(range.size()), range);
    cuda::std::array<int*, 3> channels{bins.get(), bins_green.get(), bins_blue.get()};
    cuda::std::array<int, 3> level_counts{257, 257, 257}, lowest{0, 0, 0}, highest{256, 256, 256};
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceHistogram::MultiHistogramEven<4, 3>(memory, bytes, image.get(), channels, level_counts, lowest, highest, n / 4);
    });
    expect("red", bins.all(), red);
    expect("green", bins_green.all(), green);
    expect("blue", bins_blue.all(), blue);
    return finish();
}
