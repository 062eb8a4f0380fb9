// Built with PTX alone, which the driver compiles when it is loaded.
// images: ptx
#include "support.h"

__global__ void neighbours(const uint32_t* in, uint32_t* out, uint32_t count) {
    __shared__ uint32_t tile[258];
    uint32_t i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x + 1] = in[i % count];
    if (threadIdx.x == 0) {
        tile[0] = in[(blockIdx.x * 256 + count - 1) % count];
        tile[257] = in[(blockIdx.x * 256 + 256) % count];
    }
    __syncthreads();
    if (i < count) {
        out[i] = tile[threadIdx.x] + 2 * tile[threadIdx.x + 1] + 3 * tile[threadIdx.x + 2];
    }
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv) / 256 * 256 + 256;
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000), expected(count);
    for (size_t i = 0; i < count; i++) {
        expected[i] = values[(i + count - 1) % count] + 2 * values[i] + 3 * values[(i + 1) % count];
    }
    Device<uint32_t> in(values), out(count);
    neighbours<<<static_cast<unsigned>(count / 256), 256>>>(in.get(), out.get(), static_cast<uint32_t>(count));
    CHECK(cudaGetLastError());
    expect("neighbours", out.all(), expected);
    return finish();
}
