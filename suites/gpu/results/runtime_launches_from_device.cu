// Kernels that launch kernels: code that cannot be exchanged for itself has to run as it is.
// flags: -rdc=true -lcudadevrt
#include "support.h"

__global__ void square(uint32_t* data, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] *= data[i];
    }
}

__global__ void start(uint32_t* data, uint32_t count) {
    if (threadIdx.x == 0) {
        uint32_t half = count / 2;
        uint32_t first = blockIdx.x == 0 ? 0 : half, length = blockIdx.x == 0 ? half : count - half;
        square<<<(length + 127) / 128, 128>>>(data + first, length);
    }
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 60000), expected = values;
    for (uint32_t& value : expected) {
        value *= value;
    }
    Device<uint32_t> data(values);
    start<<<2, 32>>>(data.get(), static_cast<uint32_t>(count));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    expect("squares", data.all(), expected);
    return finish();
}
