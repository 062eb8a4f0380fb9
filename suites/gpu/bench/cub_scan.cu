// CUB: an exclusive prefix sum over the device, in one pass.
#include "bench.h"
#include <cub/device/device_scan.cuh>

int main(int argc, char** argv) {
    // 2 GiB are read or written by each launch.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 28, 14);
    size_t count = options.size;
    bench::MaskedWord value{3, 0xffff};
    bench::Array<uint32_t> in(count), out(count);
    in.fill(value);
    size_t bytes = 0;
    CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in.get(), out.get(), count));
    bench::Array<char> memory(bytes);
    double ms = bench::measure(options, [&] { CHECK(cub::DeviceScan::ExclusiveSum(memory.get(), bytes, in.get(), out.get(), count)); });
    bench::Verdict verdict;
    size_t stride = bench::sample_stride(count);
    std::vector<uint32_t> found = out.every(stride);
    uint32_t expected = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % stride == 0) {
            verdict.same("prefix sum", i, found[i / stride], expected);
        }
        expected += value(i);
    }
    return verdict.finish("cub_scan", ms, options);
}
