// CUB: sums and maxima of segments.
#include "support.h"
#include <cub/device/device_segmented_reduce.cuh>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<int> values = numbers<int>(count, 5, 1000000), starts{0};
    for (int length : numbers<int>(count, 6, 400)) {
        if (starts.back() + length >= static_cast<int>(count)) {
            break;
        }
        // No segment is empty, so that each has a largest element.
        starts.push_back(starts.back() + 1 + length);
    }
    starts.back() = static_cast<int>(count);
    if (starts.size() == 1) {
        starts = {0, static_cast<int>(count)};
    }
    int segments = static_cast<int>(starts.size()) - 1;
    std::vector<int> sums(segments), largest(segments);
    for (int i = 0; i < segments; i++) {
        for (int k = starts[i]; k < starts[i + 1]; k++) {
            sums[i] += values[k];
            largest[i] = std::max(largest[i], values[k]);
        }
    }
    Device<int> in(values), offsets(starts), out(segments);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceSegmentedReduce::Sum(memory, bytes, in.get(), out.get(), segments, offsets.get(), offsets.get() + 1);
    });
    expect("sums", out.all(), sums);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceSegmentedReduce::Max(memory, bytes, in.get(), out.get(), segments, offsets.get(), offsets.get() + 1);
    });
    expect("maxima", out.all(), largest);
    return finish();
}
