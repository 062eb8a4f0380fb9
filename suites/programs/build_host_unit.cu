// Half of the program is a C++ file of the host compiler, which calls the runtime and launches a kernel by its address.
// verdict: clean
// sources: parts/build_host_unit_part.cpp
#include "check.h"

int run_on_device(const void* kernel, int count);

__global__ void square(int* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x * threadIdx.x;
}

int main() {
    std::printf("last number %d\n", run_on_device(reinterpret_cast<const void*>(square), 128));
    return 0;
}
