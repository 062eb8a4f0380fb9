// Scan: an inclusive prefix sum in three phases. Blocks scan their tiles, the sums of the tiles are scanned in the same way,
// and then added to the tiles behind them.
#include "bench.h"

constexpr int THREADS = 256;
constexpr int EACH = 4;
constexpr int TILE = THREADS * EACH;

// What the threads before this one have, in a block of which each thread has one value.
__device__ uint32_t sum_before(uint32_t value) {
    __shared__ uint32_t warps[THREADS / 32];
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t up_to = value;
    for (int distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(0xffffffffu, up_to, distance);
        up_to += lane >= distance ? other : 0;
    }
    if (lane == 31) {
        warps[warp] = up_to;
    }
    __syncthreads();
    if (warp == 0) {
        uint32_t sum = lane < THREADS / 32 ? warps[lane] : 0;
        for (int distance = 1; distance < THREADS / 32; distance *= 2) {
            uint32_t other = __shfl_up_sync(0xffffffffu, sum, distance);
            sum += lane >= distance ? other : 0;
        }
        if (lane < THREADS / 32) {
            warps[lane] = sum;
        }
    }
    __syncthreads();
    return up_to - value + (warp > 0 ? warps[warp - 1] : 0);
}

__global__ void scan_tiles(const uint32_t* in, uint32_t* out, uint32_t* sums, size_t count) {
    size_t first = static_cast<size_t>(blockIdx.x) * TILE + threadIdx.x * EACH;
    uint32_t values[EACH];
    uint32_t sum = 0;
    for (int k = 0; k < EACH; k++) {
        sum += first + k < count ? in[first + k] : 0;
        values[k] = sum;
    }
    uint32_t before = sum_before(sum);
    for (int k = 0; k < EACH; k++) {
        if (first + k < count) {
            out[first + k] = before + values[k];
        }
    }
    if (threadIdx.x == THREADS - 1) {
        sums[blockIdx.x] = before + sum;
    }
}

__global__ void add_to_tiles(uint32_t* out, const uint32_t* sums, size_t count) {
    uint32_t before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    size_t first = static_cast<size_t>(blockIdx.x) * TILE;
    for (int k = threadIdx.x; k < TILE; k += THREADS) {
        if (first + k < count) {
            out[first + k] += before;
        }
    }
}

struct Level {
    bench::Array<uint32_t> sums, scanned;
    explicit Level(size_t count) : sums(count), scanned(count) {}
};

static void scan(const uint32_t* in, uint32_t* out, size_t count, std::vector<Level*>& levels, size_t depth) {
    unsigned blocks = bench::blocks_for(count, TILE);
    Level& level = *levels[depth];
    scan_tiles<<<blocks, THREADS>>>(in, out, level.sums.get(), count);
    if (blocks > 1) {
        scan(level.sums.get(), level.scanned.get(), blocks, levels, depth + 1);
        add_to_tiles<<<blocks, THREADS>>>(out, level.scanned.get(), count);
    }
}

int main(int argc, char** argv) {
    // 4 GiB are read or written by each scan.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 28, 7);
    size_t count = options.size;
    bench::MaskedWord value{3, 0xffff};
    bench::Array<uint32_t> in(count), out(count);
    in.fill(value);
    std::vector<Level*> levels;
    for (size_t left = count;;) {
        left = bench::blocks_for(left, TILE);
        levels.push_back(new Level(left));
        if (left == 1) {
            break;
        }
    }
    double ms = bench::measure(options, [&] { scan(in.get(), out.get(), count, levels, 0); });
    bench::Verdict verdict;
    size_t stride = bench::sample_stride(count);
    std::vector<uint32_t> found = out.every(stride);
    uint32_t expected = 0;
    for (size_t i = 0; i < count; i++) {
        expected += value(i);
        if (i % stride == 0) {
            verdict.same("prefix sum", i, found[i / stride], expected);
        }
    }
    verdict.same("sum", count, out.at(count - 1), expected);
    for (Level* level : levels) {
        delete level;
    }
    return verdict.finish("scan", ms, options);
}
