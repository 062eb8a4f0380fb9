// CUB: segments of very different lengths are sorted, each for itself.
#include "support.h"
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> keys = numbers<uint32_t>(count, 3, 100000), expected = keys;
    std::vector<int> starts{0};
    for (uint32_t length : numbers<uint32_t>(count, 4, 300)) {
        if (starts.back() == static_cast<int>(count)) {
            break;
        }
        // Most segments are short, some are empty, a few have thousands of elements.
        int next = starts.back() + static_cast<int>(length == 299 ? 5000 : length % 50);
        starts.push_back(std::min(next, static_cast<int>(count)));
    }
    starts.push_back(static_cast<int>(count));
    int segments = static_cast<int>(starts.size()) - 1;
    for (int i = 0; i < segments; i++) {
        std::sort(expected.begin() + starts[i], expected.begin() + starts[i + 1]);
    }
    Device<uint32_t> in(keys), out(count);
    Device<int> offsets(starts);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceSegmentedSort::SortKeys(memory, bytes, in.get(), out.get(), static_cast<int>(count), segments, offsets.get(),
                                                  offsets.get() + 1);
    });
    expect("segmented_sort", out.all(), expected);
    Device<uint32_t> radix(count);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, in.get(), radix.get(), static_cast<int>(count), segments,
                                                       offsets.get(), offsets.get() + 1);
    });
    expect("segmented_radix_sort", radix.all(), expected);
    return finish();
}
