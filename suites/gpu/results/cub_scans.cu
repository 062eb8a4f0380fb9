// CUB: prefix sums, prefix maxima, and prefix sums of runs of equal keys.
#include "support.h"
#include <cub/device/device_scan.cuh>

struct Larger {
    __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a > b ? a : b; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 9, 100000), keys = numbers<uint32_t>(count, 10, 3);
    std::vector<uint32_t> inclusive(count), exclusive(count), largest(count), by_key(count);
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        exclusive[i] = sum;
        sum += values[i];
        inclusive[i] = sum;
        largest[i] = i == 0 ? values[0] : std::max(largest[i - 1], values[i]);
        by_key[i] = values[i] + (i > 0 && keys[i] == keys[i - 1] ? by_key[i - 1] : 0);
    }
    int n = static_cast<int>(count);
    Device<uint32_t> in(values), device_keys(keys), out(count);
    with_scratch([&](void* memory, size_t& bytes) { return cub::DeviceScan::InclusiveSum(memory, bytes, in.get(), out.get(), n); });
    expect("inclusive_sum", out.all(), inclusive);
    with_scratch([&](void* memory, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(memory, bytes, in.get(), out.get(), n); });
    expect("exclusive_sum", out.all(), exclusive);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceScan::InclusiveScan(memory, bytes, in.get(), out.get(), Larger(), n);
    });
    expect("inclusive_maximum", out.all(), largest);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceScan::InclusiveSumByKey(memory, bytes, device_keys.get(), in.get(), out.get(), n);
    });
    expect("inclusive_sum_by_key", out.all(), by_key);
    return finish();
}
