// CUB: a radix sort of all numbers, which reads its order from an array that it leaves as it is.
#include "bench.h"
#include <cub/device/device_radix_sort.cuh>

int main(int argc, char** argv) {
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 28, 1);
    size_t count = options.size;
    bench::MaskedWord value{41, 0xffffffffu};
    bench::Array<uint32_t> in(count), out(count);
    in.fill(value);
    size_t bytes = 0;
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.get(), out.get(), count));
    bench::Array<char> memory(bytes);
    double ms = bench::measure(options, [&] { CHECK(cub::DeviceRadixSort::SortKeys(memory.get(), bytes, in.get(), out.get(), count)); });
    // Sorted, and the same numbers as before: as many, with the same sums of two kinds.
    std::vector<uint32_t> found = out.to_host();
    uint64_t sum = 0, mixed = 0, expected_sum = 0, expected_mixed = 0;
    size_t descents = 0;
    for (size_t i = 0; i < count; i++) {
        descents += i > 0 && found[i - 1] > found[i];
        sum += found[i];
        mixed += bench::word(found[i]);
        expected_sum += value(i);
        expected_mixed += bench::word(value(i));
    }
    bench::Verdict verdict;
    verdict.same<uint64_t>("descents", 0, descents, 0);
    verdict.same("sum", 0, sum, expected_sum);
    verdict.same("mixed sum", 0, mixed, expected_mixed);
    return verdict.finish("cub_radix_sort", ms, options);
}
