// Stencil: the mean of a point and its four neighbours, from one array into another and back.
#include "bench.h"

constexpr int WIDTH = 32;
constexpr int HEIGHT = 8;

// Additions and multiplications that nobody joins, so that host and device agree in every bit.
__host__ __device__ inline float sum_of(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
}

__host__ __device__ inline float mean(float middle, float left, float right, float up, float down) {
    float sum = sum_of(sum_of(middle, sum_of(left, right)), sum_of(up, down));
#ifdef __CUDA_ARCH__
    return __fmul_rn(sum, 0.2f);
#else
    return sum * 0.2f;
#endif
}

__global__ void sweep(const float* in, float* out, int side) {
    int x = blockIdx.x * WIDTH + threadIdx.x;
    int y = blockIdx.y * HEIGHT + threadIdx.y;
    if (x >= side || y >= side) {
        return;
    }
    size_t i = static_cast<size_t>(y) * side + x;
    bool is_edge = x == 0 || y == 0 || x == side - 1 || y == side - 1;
    out[i] = is_edge ? in[i] : mean(in[i], in[i - 1], in[i + 1], in[i - side], in[i + side]);
}

// The value of a point after some sweeps, from the values around it at the start.
static float expected_at(const bench::SmallFloat& start, int side, int x, int y, int sweeps) {
    if (sweeps == 0 || x == 0 || y == 0 || x == side - 1 || y == side - 1) {
        return start(static_cast<size_t>(y) * side + x);
    }
    auto before = [&](int dx, int dy) { return expected_at(start, side, x + dx, y + dy, sweeps - 1); };
    return mean(before(0, 0), before(-1, 0), before(1, 0), before(0, -1), before(0, 1));
}

int main(int argc, char** argv) {
    // The size is the side of the square: 2 GiB are read or written by each launch, which is two sweeps there and back.
    bench::Options options = bench::read_options(argc, argv, 16384, 7);
    int side = static_cast<int>(options.size);
    size_t count = static_cast<size_t>(side) * side;
    bench::SmallFloat start{31, 0xff};
    bench::Array<float> one(count), two(count);
    dim3 grid(bench::blocks_for(side, WIDTH), bench::blocks_for(side, HEIGHT)), block(WIDTH, HEIGHT);
    auto there_and_back = [&] {
        sweep<<<grid, block>>>(one.get(), two.get(), side);
        sweep<<<grid, block>>>(two.get(), one.get(), side);
    };
    one.fill(start);
    double ms = bench::measure(options, there_and_back);
    // What is compared are four sweeps over fresh values: a point then depends on few others.
    one.fill(start);
    there_and_back();
    there_and_back();
    bench::Verdict verdict;
    size_t stride = bench::sample_stride(count);
    std::vector<float> found = one.every(stride);
    for (size_t n = 0; n < found.size(); n++) {
        size_t i = n * stride;
        verdict.same("point", i, found[n], expected_at(start, side, static_cast<int>(i % side), static_cast<int>(i / side), 4));
    }
    return verdict.finish("stencil", ms, options);
}
