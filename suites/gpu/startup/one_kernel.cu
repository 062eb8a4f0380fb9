// The least that a CUDA program can be: one kernel, launched once. What a start costs is measured with it.
#include "../results/support.h"

__global__ void write(uint32_t* out) {
    out[threadIdx.x] = threadIdx.x * 3;
}

int main() {
    Device<uint32_t> out(64);
    write<<<1, 64>>>(out.get());
    CHECK(cudaGetLastError());
    std::vector<uint32_t> expected(64);
    for (uint32_t i = 0; i < 64; i++) {
        expected[i] = i * 3;
    }
    expect("written", out.all(), expected);
    return finish();
}
