// Sparse matrix-vector product: rows of very different lengths (CSR), a warp for each row.
#include "bench.h"

constexpr int THREADS = 256;

__global__ void multiply(const uint32_t* starts, const uint32_t* columns, const float* values, const float* x, float* y, int rows) {
    int row = (blockIdx.x * THREADS + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    float sum = 0;
    for (uint32_t k = starts[row] + lane; k < starts[row + 1]; k += 32) {
        sum = fmaf(values[k], x[columns[k]], sum);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}

// One row in 512 is long, and the others have up to 63 elements; some have none.
static uint32_t length_of_row(uint32_t row) {
    uint32_t random = bench::word(row + 12345);
    return random % 512 == 0 ? 1000 + (random >> 9) % 1000 : (random >> 9) % 64;
}

struct Column {
    uint32_t rows;
    __host__ __device__ uint32_t operator()(size_t i) const { return bench::word(static_cast<uint32_t>(i) + 4321) % rows; }
};

int main(int argc, char** argv) {
    // The size is the number of rows and columns; the mean row has 34 elements.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 22, 14);
    uint32_t rows = static_cast<uint32_t>(options.size);
    std::vector<uint32_t> starts(rows + 1, 0);
    for (uint32_t row = 0; row < rows; row++) {
        starts[row + 1] = starts[row] + length_of_row(row);
    }
    size_t count = starts[rows];
    Column column{rows};
    bench::SmallFloat value{7, 7}, value_x{800, 7};
    bench::Array<uint32_t> device_starts(starts), columns(count);
    bench::Array<float> values(count), x(rows), y(rows);
    columns.fill(column);
    values.fill(value);
    x.fill(value_x);
    double ms = bench::measure(options, [&] {
        multiply<<<bench::blocks_for(size_t(rows) * 32, THREADS), THREADS>>>(device_starts.get(), columns.get(), values.get(), x.get(),
                                                                             y.get(), rows);
    });
    bench::Verdict verdict;
    size_t stride = bench::sample_stride(rows);
    std::vector<float> found = y.every(stride);
    for (size_t n = 0; n < found.size(); n++) {
        size_t row = n * stride;
        float expected = 0;
        for (uint32_t k = starts[row]; k < starts[row + 1]; k++) {
            expected += value(k) * value_x(column(k));
        }
        verdict.same("row", row, found[n], expected);
    }
    return verdict.finish("spmv", ms, options);
}
