// CUB: elements that are flagged, that fit, and that differ from the one before.
#include "support.h"
#include <cub/device/device_select.cuh>

struct IsSmall {
    __host__ __device__ bool operator()(uint32_t value) const { return value < 30; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    int n = static_cast<int>(count);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 31, 100), repeated = numbers<uint32_t>(count, 32, 2);
    std::vector<unsigned char> flags = numbers<unsigned char>(count, 33, 2);
    std::vector<uint32_t> flagged, small, different;
    for (size_t i = 0; i < count; i++) {
        if (flags[i]) {
            flagged.push_back(values[i]);
        }
        if (IsSmall()(values[i])) {
            small.push_back(values[i]);
        }
        if (i == 0 || repeated[i] != repeated[i - 1]) {
            different.push_back(repeated[i]);
        }
    }
    Device<uint32_t> in(values), in_repeated(repeated), out(count);
    Device<unsigned char> device_flags(flags);
    Device<int> selected(1);
    auto found = [&] { return out.first(static_cast<size_t>(selected.all()[0])); };
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceSelect::Flagged(memory, bytes, in.get(), device_flags.get(), out.get(), selected.get(), n);
    });
    expect("flagged", found(), flagged);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceSelect::If(memory, bytes, in.get(), out.get(), selected.get(), n, IsSmall());
    });
    expect("small", found(), small);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceSelect::Unique(memory, bytes, in_repeated.get(), out.get(), selected.get(), n);
    });
    expect("different", found(), different);
    return finish();
}
