// A hundred kernels of one template in one program, each launched with block sizes of its own.
#include "support.h"
#include <utility>

template <int N>
__global__ void step(uint32_t* data, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] = data[i] * (2 * N + 1) + N;
    }
}

template <int... N>
static void run_all(uint32_t* data, uint32_t count, std::integer_sequence<int, N...>) {
    (step<N><<<(count + 32 * (N % 8 + 1) - 1) / (32 * (N % 8 + 1)), 32 * (N % 8 + 1)>>>(data, count), ...);
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    Device<uint32_t> data(values);
    for (int round = 0; round < 2; round++) {
        run_all(data.get(), static_cast<uint32_t>(count), std::make_integer_sequence<int, 100>());
        CHECK(cudaGetLastError());
        for (uint32_t& value : values) {
            for (uint32_t n = 0; n < 100; n++) {
                value = value * (2 * n + 1) + n;
            }
        }
        expect("after_a_hundred", data.all(), values);
    }
    return finish();
}
