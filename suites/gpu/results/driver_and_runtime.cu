// Runtime and driver mixed: memory of one, kernels of the other, in one context and one stream.
// flags: -lcuda
#include "driver.h"

__device__ uint32_t additional = 9;

__global__ void add(uint32_t* data, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] += additional;
    }
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count), blocks = (length + 127) / 128;
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    Device<uint32_t> data(values);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CUmodule module;
    CUfunction scale;
    cudaFunction_t add_function;
    DRIVER(cuModuleLoadData(&module, SCALE_PTX));
    DRIVER(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cudaGetFuncBySymbol(&add_function, reinterpret_cast<const void*>(add)));
    uint32_t* address = data.get();
    uint32_t factor = 3;
    void* arguments[] = {&address, &length, &factor};
    add<<<blocks, 128, 0, stream>>>(address, length);
    DRIVER(cuLaunchKernel(scale, blocks, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
    DRIVER(cuLaunchKernel(add_function, blocks, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
    CHECK(cudaStreamSynchronize(stream));
    for (uint32_t& value : values) {
        value = (value + 9) * 3 + 5 + 9;
    }
    expect("mixed", data.all(), values);
    uint32_t more = 1000;
    CHECK(cudaMemcpyToSymbol(additional, &more, sizeof more));
    add<<<blocks, 128, 0, stream>>>(address, length);
    CHECK(cudaStreamSynchronize(stream));
    for (uint32_t& value : values) {
        value += 1000;
    }
    expect("variable", data.all(), values);
    DRIVER(cuModuleUnload(module));
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
