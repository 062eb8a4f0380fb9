// Histogram: blocks count in shared memory with atomics, and add what they have to the bins of all with atomics.
#include "bench.h"

constexpr int THREADS = 256;
constexpr int BINS = 256;
constexpr int BLOCKS = 1056;

__global__ void histogram(const uint32_t* data, uint32_t* bins, size_t count) {
    __shared__ uint32_t own[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        own[bin] = 0;
    }
    __syncthreads();
    size_t step = static_cast<size_t>(gridDim.x) * THREADS;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < count; i += step) {
        atomicAdd(&own[data[i] % BINS], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        atomicAdd(&bins[bin], own[bin]);
    }
}

int main(int argc, char** argv) {
    // 2 GiB are read by each launch.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 29, 13);
    size_t count = options.size;
    bench::MaskedWord value{23, 0xffffffffu};
    bench::Array<uint32_t> data(count), bins(BINS);
    data.fill(value);
    unsigned blocks = std::min<unsigned>(BLOCKS, bench::blocks_for(count, THREADS));
    double ms = bench::measure(options, [&] {
        CHECK(cudaMemsetAsync(bins.get(), 0, BINS * sizeof(uint32_t)));
        histogram<<<blocks, THREADS>>>(data.get(), bins.get(), count);
    });
    std::vector<uint32_t> expected(BINS), found = bins.to_host();
    for (size_t i = 0; i < count; i++) {
        expected[value(i) % BINS]++;
    }
    bench::Verdict verdict;
    for (int bin = 0; bin < BINS; bin++) {
        verdict.same("bin", bin, found[bin], expected[bin]);
    }
    return verdict.finish("histogram", ms, options);
}
