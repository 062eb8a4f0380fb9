// Kernels that are templates, of types, numbers and functors, and a lambda of the host passed to the device.
// verdict: clean
// flags: --extended-lambda
#include "check.h"

template <typename T, int FACTOR>
__global__ void scale(T* data, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] = static_cast<T>(i) * FACTOR;
    }
}

template <typename T, typename F>
__global__ void apply(T* data, int count, F function) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] = function(data[i]);
    }
}

template <typename... T>
__device__ int count_arguments(T...) {
    return sizeof...(T);
}

template <typename T>
static void run(const char* name, T offset) {
    constexpr int COUNT = 100;
    T* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(T)));
    scale<T, 3><<<4, 32>>>(data, COUNT);
    CHECK(cudaGetLastError());
    int arguments = 0;
    apply<<<4, 32>>>(data, COUNT, [offset, arguments] __device__(T value) {
        return static_cast<T>(value + offset + count_arguments(value, arguments, 'c'));
    });
    CHECK(cudaGetLastError());
    T host[COUNT];
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%s: %.2f %.2f\n", name, static_cast<double>(host[1]), static_cast<double>(host[COUNT - 1]));
    CHECK(cudaFree(data));
}

int main() {
    run<int>("int", 5);
    run<float>("float", 0.25f);
    run<double>("double", 0.5);
    run<unsigned char>("byte", 1);
    run<long long>("long", 1ll << 33);
    return 0;
}
