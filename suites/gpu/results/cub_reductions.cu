// CUB: sums, extremes, an operation of our own, and sums of runs of equal keys.
#include "support.h"
#include <cub/device/device_reduce.cuh>

struct Xor {
    __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a ^ b; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    int n = static_cast<int>(count);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 21, uint64_t(1) << 32), keys = numbers<uint32_t>(count, 22, 4);
    uint32_t sum = 0, mixed = 0;
    std::vector<uint32_t> run_keys, run_sums;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        mixed ^= values[i];
        if (i == 0 || keys[i] != keys[i - 1]) {
            run_keys.push_back(keys[i]);
            run_sums.push_back(0);
        }
        run_sums.back() += values[i];
    }
    Device<uint32_t> in(values), device_keys(keys), out(1), unique(count), sums(count);
    Device<int> runs(1);
    with_scratch([&](void* memory, size_t& bytes) { return cub::DeviceReduce::Sum(memory, bytes, in.get(), out.get(), n); });
    expect("sum", out.all()[0], sum);
    with_scratch([&](void* memory, size_t& bytes) { return cub::DeviceReduce::Min(memory, bytes, in.get(), out.get(), n); });
    expect("minimum", out.all()[0], *std::min_element(values.begin(), values.end()));
    with_scratch([&](void* memory, size_t& bytes) { return cub::DeviceReduce::Max(memory, bytes, in.get(), out.get(), n); });
    expect("maximum", out.all()[0], *std::max_element(values.begin(), values.end()));
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceReduce::Reduce(memory, bytes, in.get(), out.get(), n, Xor(), uint32_t(0));
    });
    expect("exclusive_or", out.all()[0], mixed);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceReduce::ReduceByKey(memory, bytes, device_keys.get(), unique.get(), in.get(), sums.get(), runs.get(),
                                              cuda::std::plus<uint32_t>(), n);
    });
    size_t found = static_cast<size_t>(runs.all()[0]);
    expect("keys_of_runs", unique.first(found), run_keys);
    expect("sums_of_runs", sums.first(found), run_sums);
    return finish();
}
