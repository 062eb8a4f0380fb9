// Gather: each thread reads a number at a place that another array names, which no neighbour has.
#include "bench.h"

__global__ void gather(const uint32_t* places, const uint32_t* data, uint32_t* out, size_t count) {
    size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = data[places[i]];
    }
}

int main(int argc, char** argv) {
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 26, 6);
    size_t count = options.size;
    bench::MaskedWord value{5, 0xffffffffu}, place{31, static_cast<uint32_t>(count - 1)};
    bench::Array<uint32_t> places(count), data(count), out(count);
    places.fill(place);
    data.fill(value);
    double ms = bench::measure(options, [&] {
        gather<<<bench::blocks_for(count, 256), 256>>>(places.get(), data.get(), out.get(), count);
    });
    bench::Verdict verdict;
    size_t stride = bench::sample_stride(count);
    std::vector<uint32_t> found = out.every(stride);
    for (size_t k = 0; k < found.size(); k++) {
        verdict.same("number", k * stride, found[k], value(place(k * stride)));
    }
    return verdict.finish("gather", ms, options);
}
