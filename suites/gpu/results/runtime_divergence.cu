// Predicated accesses, early exits, switches, loops of different lengths, barriers behind branches, calls by pointer.
#include "support.h"

__device__ __noinline__ uint32_t twice(uint32_t value) { return value * 2; }
__device__ __noinline__ uint32_t plus_seven(uint32_t value) { return value + 7; }

__host__ __device__ inline uint32_t steps(uint32_t value) {
    uint32_t count = 0;
    while (value > 1) {
        value = value % 2 == 0 ? value / 2 : 3 * value + 1;
        count++;
    }
    return count;
}

__global__ void walk(const uint32_t* in, uint32_t* out, uint32_t count) {
    __shared__ uint32_t sums[4];
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 4) {
        sums[threadIdx.x] = 0;
    }
    __syncthreads();
    uint32_t value = i < count ? in[i] : 0;
    switch (value % 4) {
        case 0: value = steps(value); break;
        case 1: value = value * value; break;
        case 2: value = ~value; break;
        default: value = (value > 500 ? twice : plus_seven)(value); break;
    }
    atomicAdd(&sums[i % 4], value);
    __syncthreads();
    if (i >= count) {
        return;
    }
    out[i] = value + sums[i % 4];
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000), expected(count);
    constexpr size_t THREADS = 128;
    for (size_t block = 0; block < count; block += THREADS) {
        uint32_t sums[4] = {};
        uint32_t results[THREADS];
        for (size_t k = 0; k < THREADS; k++) {
            uint32_t value = block + k < count ? values[block + k] : 0;
            switch (value % 4) {
                case 0: value = steps(value); break;
                case 1: value = value * value; break;
                case 2: value = ~value; break;
                default: value = value > 500 ? value * 2 : value + 7; break;
            }
            results[k] = value;
            sums[(block + k) % 4] += value;
        }
        for (size_t k = 0; k < THREADS && block + k < count; k++) {
            expected[block + k] = results[k] + sums[(block + k) % 4];
        }
    }
    Device<uint32_t> in(values), out(count);
    walk<<<static_cast<unsigned>((count + THREADS - 1) / THREADS), THREADS>>>(in.get(), out.get(), static_cast<uint32_t>(count));
    CHECK(cudaGetLastError());
    expect("walked", out.all(), expected);
    return finish();
}
