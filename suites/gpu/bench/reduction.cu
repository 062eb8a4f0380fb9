// Reduction: threads add up their share, warps by shuffles, blocks through shared memory; a second kernel adds up the blocks.
#include "bench.h"

constexpr int THREADS = 256;
constexpr int BLOCKS = 2112;

__device__ uint32_t sum_of_block(uint32_t value) {
    __shared__ uint32_t warps[THREADS / 32];
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, distance);
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0;
        for (int distance = THREADS / 64; distance > 0; distance /= 2) {
            value += __shfl_down_sync(0xffffffffu, value, distance);
        }
    }
    return value;
}

__global__ void sum_parts(const uint32_t* data, uint32_t* parts, size_t count) {
    size_t step = static_cast<size_t>(gridDim.x) * THREADS;
    uint32_t sum = 0;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < count; i += step) {
        sum += data[i];
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
    }
}

int main(int argc, char** argv) {
    // 2 GiB are read by each launch.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 29, 14);
    size_t count = options.size;
    bench::MaskedWord value{11, 0xffffffffu};
    unsigned blocks = std::min<unsigned>(BLOCKS, bench::blocks_for(count, THREADS));
    bench::Array<uint32_t> data(count), parts(blocks), total(1);
    data.fill(value);
    double ms = bench::measure(options, [&] {
        sum_parts<<<blocks, THREADS>>>(data.get(), parts.get(), count);
        sum_parts<<<1, THREADS>>>(parts.get(), total.get(), blocks);
    });
    uint32_t expected = 0;
    for (size_t i = 0; i < count; i++) {
        expected += value(i);
    }
    bench::Verdict verdict;
    verdict.same("sum", 0, total.at(0), expected);
    return verdict.finish("reduction", ms, options);
}
