// Touches a working set of many GiB by whole lines: the warps of pieces of memory read, change and write each word once. Behind the last
// piece, blocks write what another one wrote.
//
//   whole_lines [GIB]      (1 where nothing is said)
//
// racy-kernels: write_twice
#include "../bench/bench.h"

constexpr size_t GIB = size_t(1) << 30;
constexpr size_t PIECE = GIB / 2;
constexpr size_t WORDS = PIECE / sizeof(uint32_t);
constexpr int THREADS = 256;
constexpr int BLOCKS = 2112;

struct Seven {
    __host__ __device__ uint32_t operator()(size_t) const { return 7; }
};

__global__ void change(uint32_t* piece) {
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < WORDS; i += static_cast<size_t>(gridDim.x) * THREADS) {
        piece[i] = piece[i] * 3 + static_cast<uint32_t>(i);
    }
}

__global__ void write_twice(uint32_t* line) {
    line[threadIdx.x] = blockIdx.x;
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
        bench::fill_kernel<<<BLOCKS, THREADS>>>(piece, WORDS, Seven());
    }
    for (uint32_t* piece : pieces) {
        change<<<BLOCKS, THREADS>>>(piece);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    uint32_t last = 0;
    CHECK(cudaMemcpy(&last, pieces.back() + WORDS - 1, sizeof last, cudaMemcpyDeviceToHost));
    bool is_right = last == 7 * 3 + static_cast<uint32_t>(WORDS - 1);
    write_twice<<<2, 32>>>(pieces.back() + WORDS - 32);
    CHECK(cudaDeviceSynchronize());
    std::printf("gib=%ld last=%u %s\n", gib, last, is_right ? "ok" : "WRONG");
    for (uint32_t* piece : pieces) {
        CHECK(cudaFree(piece));
    }
    return is_right ? 0 : 1;
}
