// Tiled matrix product: tiles of both factors go through shared memory, each thread computes one number.
#include "bench.h"

constexpr int TILE = 32;

__global__ void multiply(const float* a, const float* b, float* c, int side) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < side; start += TILE) {
        int inner_a = start + threadIdx.x, inner_b = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < side && inner_a < side ? a[static_cast<size_t>(row) * side + inner_a] : 0;
        tile_b[threadIdx.y][threadIdx.x] = inner_b < side && column < side ? b[static_cast<size_t>(inner_b) * side + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum = fmaf(tile_a[threadIdx.y][k], tile_b[k][threadIdx.x], sum);
        }
        __syncthreads();
    }
    if (row < side && column < side) {
        c[static_cast<size_t>(row) * side + column] = sum;
    }
}

int main(int argc, char** argv) {
    // The size is the side of the matrices.
    bench::Options options = bench::read_options(argc, argv, 4096, 1);
    int side = static_cast<int>(options.size);
    size_t count = static_cast<size_t>(side) * side;
    // Products of numbers below 16: a sum of some ten thousands of them is exact.
    bench::SmallFloat value_a{1, 15}, value_b{900, 15};
    bench::Array<float> a(count), b(count), c(count);
    a.fill(value_a);
    b.fill(value_b);
    dim3 grid(bench::blocks_for(side, TILE), bench::blocks_for(side, TILE));
    double ms = bench::measure(options, [&] { multiply<<<grid, dim3(TILE, TILE)>>>(a.get(), b.get(), c.get(), side); });
    bench::Verdict verdict;
    size_t stride = bench::sample_stride(count);
    std::vector<float> found = c.every(stride);
    for (size_t n = 0; n < found.size(); n++) {
        size_t row = n * stride / side, column = n * stride % side;
        double expected = 0;
        for (size_t k = 0; k < static_cast<size_t>(side); k++) {
            expected += static_cast<double>(value_a(row * side + k)) * value_b(k * side + column);
        }
        verdict.same("element", n * stride, found[n], static_cast<float>(expected));
    }
    return verdict.finish("matmul", ms, options);
}
