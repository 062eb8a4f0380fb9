// Transpose: tiles of a square matrix go through shared memory, so that reads and writes are both in rows.
#include "bench.h"

constexpr int TILE = 32;
constexpr int ROWS = 8;

__global__ void transpose(const uint32_t* in, uint32_t* out, int side) {
    // One column more than needed: the columns of a tile then lie in different banks.
    __shared__ uint32_t tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS) {
        if (x < side && y + row < side) {
            tile[threadIdx.y + row][threadIdx.x] = in[static_cast<size_t>(y + row) * side + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS) {
        if (x < side && y + row < side) {
            out[static_cast<size_t>(y + row) * side + x] = tile[threadIdx.x][threadIdx.y + row];
        }
    }
}

int main(int argc, char** argv) {
    // The size is the side of the matrix: 2 GiB are read or written by each launch.
    bench::Options options = bench::read_options(argc, argv, 16384, 14);
    int side = static_cast<int>(options.size);
    size_t count = static_cast<size_t>(side) * side;
    bench::MaskedWord value{5, 0xffffffffu};
    bench::Array<uint32_t> in(count), out(count);
    in.fill(value);
    dim3 grid(bench::blocks_for(side, TILE), bench::blocks_for(side, TILE));
    double ms = bench::measure(options, [&] { transpose<<<grid, dim3(TILE, ROWS)>>>(in.get(), out.get(), side); });
    bench::Verdict verdict;
    size_t stride = bench::sample_stride(count);
    std::vector<uint32_t> found = out.every(stride);
    for (size_t k = 0; k < found.size(); k++) {
        size_t i = k * stride;
        verdict.same("element", i, found[k], value((i % side) * side + i / side));
    }
    return verdict.finish("transpose", ms, options);
}
