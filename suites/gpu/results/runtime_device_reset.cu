// The device is reset between kernels; static code is loaded again, and variables have their first values.
#include "support.h"

__device__ uint32_t total = 100;

__global__ void add_all(const uint32_t* data, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        atomicAdd(&total, data[i]);
    }
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    uint32_t expected = 100;
    for (uint32_t value : values) {
        expected += value;
    }
    for (int round = 0; round < 3; round++) {
        {
            Device<uint32_t> data(values);
            add_all<<<static_cast<unsigned>((count + 255) / 256), 256>>>(data.get(), static_cast<uint32_t>(count));
            CHECK(cudaGetLastError());
            uint32_t found = 0;
            CHECK(cudaMemcpyFromSymbol(&found, total, sizeof found));
            expect("total", found, expected);
        }
        CHECK(cudaDeviceReset());
    }
    return finish();
}
