// Vector add: each thread adds two numbers. Bound by memory alone: the least that a check per access can cost.
#include "bench.h"

__global__ void vector_add(const float* a, const float* b, float* sum, size_t count) {
    size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        sum[i] = a[i] + b[i];
    }
}

int main(int argc, char** argv) {
    // 3 GiB are read or written by each launch.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 28, 9);
    size_t count = options.size;
    bench::SmallFloat value_a{1, 0xffff}, value_b{77, 0xffff};
    bench::Array<float> a(count), b(count), sum(count);
    a.fill(value_a);
    b.fill(value_b);
    double ms = bench::measure(options, [&] {
        vector_add<<<bench::blocks_for(count, 256), 256>>>(a.get(), b.get(), sum.get(), count);
    });
    bench::Verdict verdict;
    size_t stride = bench::sample_stride(count);
    std::vector<float> found = sum.every(stride);
    for (size_t k = 0; k < found.size(); k++) {
        size_t i = k * stride;
        verdict.same("sum", i, found[k], value_a(i) + value_b(i));
    }
    verdict.same("last sum", count - 1, sum.at(count - 1), value_a(count - 1) + value_b(count - 1));
    return verdict.finish("vector_add", ms, options);
}
