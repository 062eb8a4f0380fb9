// Histogram by atomics on global memory: every thread adds to the bins of all, of which there are too many for shared memory.
#include "bench.h"

constexpr int THREADS = 256;
constexpr int BINS = 1 << 16;
constexpr int BLOCKS = 1056;

__global__ void global_histogram(const uint32_t* data, uint32_t* bins, size_t count) {
    size_t step = static_cast<size_t>(gridDim.x) * THREADS;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < count; i += step) {
        atomicAdd(&bins[data[i] % BINS], 1u);
    }
}

int main(int argc, char** argv) {
    // 256 MiB are read by each launch.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 26, 13);
    size_t count = options.size;
    bench::MaskedWord value{29, 0xffffffffu};
    bench::Array<uint32_t> data(count), bins(BINS);
    data.fill(value);
    unsigned blocks = std::min<unsigned>(BLOCKS, bench::blocks_for(count, THREADS));
    double ms = bench::measure(options, [&] {
        CHECK(cudaMemsetAsync(bins.get(), 0, BINS * sizeof(uint32_t)));
        global_histogram<<<blocks, THREADS>>>(data.get(), bins.get(), count);
    });
    std::vector<uint32_t> expected(BINS), found = bins.to_host();
    for (size_t i = 0; i < count; i++) {
        expected[value(i) % BINS]++;
    }
    bench::Verdict verdict;
    for (int bin = 0; bin < BINS; bin++) {
        verdict.same("bin", bin, found[bin], expected[bin]);
    }
    return verdict.finish("global_histogram", ms, options);
}
