// CUB: elements in two parts and in three.
#include "support.h"
#include <cub/device/device_partition.cuh>

struct Below {
    uint32_t bound;
    __host__ __device__ bool operator()(uint32_t value) const { return value < bound; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    int n = static_cast<int>(count);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 41, 300), low, middle, high;
    for (uint32_t value : values) {
        (value < 100 ? low : value < 200 ? middle : high).push_back(value);
    }
    // The second part of a partition is in reverse order.
    std::vector<uint32_t> parts = low;
    for (size_t i = count; i-- > 0;) {
        if (values[i] >= 100) {
            parts.push_back(values[i]);
        }
    }
    Device<uint32_t> in(values), out(count), second(count), rest(count);
    Device<int> selected(2);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DevicePartition::If(memory, bytes, in.get(), out.get(), selected.get(), n, Below{100});
    });
    expect("two_parts", out.all(), parts);
    expect("length_of_first", selected.all()[0], static_cast<int>(low.size()));
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DevicePartition::If(memory, bytes, in.get(), out.get(), second.get(), rest.get(), selected.get(), n, Below{100},
                                        Below{200});
    });
    expect("first_of_three", out.first(low.size()), low);
    expect("second_of_three", second.first(middle.size()), middle);
    expect("third_of_three", rest.first(high.size()), high);
    return finish();
}
