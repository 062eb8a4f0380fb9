// Touches a working set of many GiB: plain pieces of memory, each of their words read, changed and written once.
//
//   big_memory [GIB]      (1 where nothing is said)
//
// Prints what the words add up to, which depends on the number of GiB alone.
#include "../bench/bench.h"

constexpr size_t GIB = size_t(1) << 30;
constexpr size_t PIECE = GIB / 2;
constexpr size_t WORDS = PIECE / sizeof(uint32_t);
constexpr int THREADS = 256;
constexpr int BLOCKS = 2112;

struct Seven {
    __host__ __device__ uint32_t operator()(size_t) const { return 7; }
};

__global__ void change(uint32_t* piece, uint32_t number) {
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < WORDS; i += static_cast<size_t>(gridDim.x) * THREADS) {
        piece[i] = piece[i] * 3 + static_cast<uint32_t>(i) + number;
    }
}

__global__ void add_up(const uint32_t* piece, unsigned long long* total) {
    unsigned long long sum = 0;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < WORDS; i += static_cast<size_t>(gridDim.x) * THREADS) {
        sum += piece[i];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, sum);
    }
}

// The sum of a piece whose words all were 7: i + 21 + number, which overflows no word.
static unsigned long long expected_sum(uint32_t number) {
    return static_cast<unsigned long long>(WORDS) * (WORDS - 1) / 2 + static_cast<unsigned long long>(WORDS) * (21 + number);
}

int main(int argc, char** argv) {
    long gib = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
    if (gib <= 0 || argc > 2) {
        std::fprintf(stderr, "usage: %s [GIB]\n", argv[0]);
        return 2;
    }
    std::vector<uint32_t*> pieces(gib * (GIB / PIECE));
    for (uint32_t*& piece : pieces) {
        CHECK(cudaMalloc(&piece, PIECE));
    }
    unsigned long long* total;
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemset(total, 0, sizeof *total));
    unsigned long long expected = 0;
    for (size_t n = 0; n < pieces.size(); n++) {
        bench::fill_kernel<<<BLOCKS, THREADS>>>(pieces[n], WORDS, Seven());
        expected += expected_sum(static_cast<uint32_t>(n));
    }
    for (size_t n = 0; n < pieces.size(); n++) {
        change<<<BLOCKS, THREADS>>>(pieces[n], static_cast<uint32_t>(n));
    }
    for (uint32_t* piece : pieces) {
        add_up<<<BLOCKS, THREADS>>>(piece, total);
    }
    CHECK(cudaGetLastError());
    unsigned long long found = 0;
    CHECK(cudaMemcpy(&found, total, sizeof found, cudaMemcpyDeviceToHost));
    std::printf("gib=%ld sum=%llu %s\n", gib, found, found == expected ? "ok" : "WRONG");
    for (uint32_t* piece : pieces) {
        CHECK(cudaFree(piece));
    }
    CHECK(cudaFree(total));
    return found == expected ? 0 : 1;
}
