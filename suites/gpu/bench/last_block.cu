// Reduction in one kernel: blocks add up their share, and the last of them, by a ticket, adds up the blocks.
#include "bench.h"

constexpr int THREADS = 256;
constexpr int BLOCKS = 2112;

__device__ uint32_t sum_of_block(uint32_t value, uint32_t* threads) {
    threads[threadIdx.x] = value;
    __syncthreads();
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        if (threadIdx.x < distance) {
            threads[threadIdx.x] += threads[threadIdx.x + distance];
        }
        __syncthreads();
    }
    return threads[0];
}

__global__ void sum(const uint32_t* data, uint32_t* parts, uint32_t* ticket, uint32_t* total, size_t count) {
    __shared__ uint32_t threads[THREADS];
    __shared__ bool is_last;
    size_t step = static_cast<size_t>(gridDim.x) * THREADS;
    uint32_t own = 0;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < count; i += step) {
        own += data[i];
    }
    own = sum_of_block(own, threads);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = own;
        __threadfence();
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    own = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += THREADS) {
        own += parts[block];
    }
    own = sum_of_block(own, threads);
    if (threadIdx.x == 0) {
        *total = own;
        *ticket = 0;
    }
}

int main(int argc, char** argv) {
    // 2 GiB are read by each launch.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 29, 14);
    size_t count = options.size;
    bench::MaskedWord value{11, 0xffffffffu};
    unsigned blocks = std::min<unsigned>(BLOCKS, bench::blocks_for(count, THREADS));
    bench::Array<uint32_t> data(count), parts(blocks), ticket(1), total(1);
    data.fill(value);
    CHECK(cudaMemset(ticket.get(), 0, sizeof(uint32_t)));
    double ms = bench::measure(options, [&] {
        sum<<<blocks, THREADS>>>(data.get(), parts.get(), ticket.get(), total.get(), count);
    });
    uint32_t expected = 0;
    for (size_t i = 0; i < count; i++) {
        expected += value(i);
    }
    bench::Verdict verdict;
    verdict.same("sum", 0, total.at(0), expected);
    return verdict.finish("last_block", ms, options);
}
