// Message passing between two blocks, with fences of block and of device scope: figure 5.6 of Peng's thesis, on the GPU that
// there is. README.md says how it is meant. The two threads race by design.
//
//     fence_litmus [--runs N] [--pairs N] [--blocks N] [--threads N] [--seed N]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <cuda_runtime.h>

enum class Fence { none, block, device };
enum class Side { writer, reader, stress };

// Words that one run has for itself: x lies in the first half, y in the second, so that they share no line.
constexpr unsigned SPAN = 2048;
// Runs of one pair in one launch.
constexpr unsigned RUNS_OF_PAIR = 256;
// Words that are stored and loaded for nothing, and the distance between those that one warp uses.
constexpr unsigned STRESSED = 1 << 16;
constexpr unsigned STRESS_STRIDE = 64;
// How often a thread looks for its partner before it goes on alone, so that no schedule makes it wait for ever.
constexpr unsigned PATIENCE = 1024;
constexpr unsigned STRESS_TURNS = 1 << 11;
// Turns of stress between two looks at whether it is over: the look itself would crowd one word.
constexpr unsigned TURNS_BETWEEN_LOOKS = 8;

// What one launch is about.
struct Launch {
    const Side* sides;          // by block
    const unsigned* pair_of;    // by block
    unsigned runs;              // of all pairs together
    unsigned runs_of_pair;
    unsigned pairs;
    unsigned tester;            // the thread of a block that takes part in the test
    unsigned seed;
    unsigned* locations;        // x and y of each run; zero
    unsigned* met;              // by pair: how often its threads have met; zero
    unsigned* finished;         // threads that are through with all of their runs; zero
    unsigned* stressed;
    unsigned long long* seen;   // by outcome: r1 + 2 * r2
};

template <Fence fence>
__device__ void execute_fence() {
    if constexpr (fence == Fence::block) {
        asm volatile("membar.cta;" ::: "memory");
    } else if constexpr (fence == Fence::device) {
        asm volatile("membar.gl;" ::: "memory");
    }
}

__device__ void store(unsigned* place, unsigned value) {
    asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(place), "r"(value) : "memory");
}

__device__ unsigned load(const unsigned* place) {
    unsigned value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}

__device__ unsigned mix(unsigned value) {
    value = (value ^ (value >> 16)) * 0x7feb352dU;
    value = (value ^ (value >> 15)) * 0x846ca68bU;
    return value ^ (value >> 16);
}

// The two threads of a pair begin a run at about the same time. No fence: that would be part of the test.
__device__ void meet(unsigned* met, unsigned run, unsigned delay) {
    atomicAdd(met, 1);
    for (unsigned turn = 0; turn < PATIENCE && load(met) < 2 * (run + 1); turn++) {
    }
    for (unsigned turn = 0; turn < delay; turn++) {
        asm volatile("");
    }
}

template <Fence fence1, Fence fence2>
__device__ void test(const Launch& launch, Side side, unsigned pair) {
    unsigned seen[4] = {0, 0, 0, 0};
    for (unsigned run = 0; run < launch.runs_of_pair; run++) {
        unsigned number = pair * launch.runs_of_pair + run;
        if (number >= launch.runs) {
            break;
        }
        unsigned chance = mix(launch.seed + number);
        unsigned* span = launch.locations + size_t(number) * SPAN;
        unsigned* x = span + chance % (SPAN / 2);
        unsigned* y = span + SPAN / 2 + (chance >> 10) % (SPAN / 2);
        meet(launch.met + pair, run, mix(chance + unsigned(side)) % 64);
        if (side == Side::writer) {
            store(x, 1);
            execute_fence<fence1>();
            store(y, 1);
        } else {
            unsigned r1 = load(y);
            execute_fence<fence2>();
            unsigned r2 = load(x);
            seen[r1 + 2 * r2]++;
        }
    }
    for (unsigned outcome = 0; outcome < 4; outcome++) {
        if (seen[outcome] > 0) {
            atomicAdd(launch.seen + outcome, static_cast<unsigned long long>(seen[outcome]));
        }
    }
    atomicAdd(launch.finished, 1);
}

// Keeps the memory busy until all tests are over.
__device__ void stress(const Launch& launch) {
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    unsigned place = mix(launch.seed + warp) % (STRESSED / STRESS_STRIDE) * STRESS_STRIDE + threadIdx.x % warpSize;
    for (unsigned turn = 0; turn < STRESS_TURNS && load(launch.finished) < 2 * launch.pairs; turn++) {
        for (unsigned again = 0; again < TURNS_BETWEEN_LOOKS; again++) {
            store(launch.stressed + place, turn);
            load(launch.stressed + (place + STRESSED / 2) % STRESSED);
            store(launch.stressed + (place + STRESS_STRIDE) % STRESSED, turn);
            load(launch.stressed + place);
        }
    }
}

template <Fence fence1, Fence fence2>
__global__ void message_passing(Launch launch) {
    Side side = launch.sides[blockIdx.x];
    if (side != Side::stress && threadIdx.x == launch.tester) {
        test<fence1, fence2>(launch, side, launch.pair_of[blockIdx.x]);
    } else {
        stress(launch);
    }
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

struct Options {
    unsigned long long runs = 1'000'000;
    unsigned pairs = 16;
    unsigned blocks = 0;  // as many as the device has multiprocessors
    unsigned threads = 128;
    unsigned seed = 1;
};

static Options read_options(int count, char** words) {
    Options options;
    for (int at = 1; at < count; at += 2) {
        char* end = nullptr;
        unsigned long long value = at + 1 < count ? std::strtoull(words[at + 1], &end, 10) : 0;
        bool is_number = end != nullptr && *end == '\0' && value <= 1'000'000'000;
        if (is_number && std::strcmp(words[at], "--runs") == 0) {
            options.runs = value;
        } else if (is_number && value > 0 && std::strcmp(words[at], "--pairs") == 0) {
            options.pairs = unsigned(value);
        } else if (is_number && std::strcmp(words[at], "--blocks") == 0) {
            options.blocks = unsigned(value);
        } else if (is_number && value > 0 && value <= 1024 && std::strcmp(words[at], "--threads") == 0) {
            options.threads = unsigned(value);
        } else if (is_number && std::strcmp(words[at], "--seed") == 0) {
            options.seed = unsigned(value);
        } else {
            std::fprintf(stderr, "usage: %s [--runs N] [--pairs N] [--blocks N] [--threads N] [--seed N]\n", words[0]);
            std::exit(2);
        }
    }
    if (options.blocks == 0) {
        int multiprocessors = 0;
        check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        options.blocks = unsigned(multiprocessors);
    }
    options.blocks = std::max(options.blocks, 2 * options.pairs);
    return options;
}

template <typename T>
static T* allocate(size_t count) {
    T* place;
    check(cudaMalloc(&place, count * sizeof(T)));
    check(cudaMemset(place, 0, count * sizeof(T)));
    return place;
}

// A row of the table.
struct Row {
    void (*kernel)(Launch);
    const char* fence1;
    const char* fence2;
    const char* kepler;   // what the thesis saw on a GRID K520
    const char* maxwell;  // and on a GTX Titan X
};

// Runs one combination of fences; true if every run had an outcome.
static bool measure(const Options& options, const Row& row) {
    unsigned runs_of_pair = unsigned(std::min<unsigned long long>(RUNS_OF_PAIR, (options.runs + options.pairs - 1) / options.pairs));
    size_t words = size_t(options.pairs) * runs_of_pair * SPAN;
    Launch launch{};
    Side* sides = allocate<Side>(options.blocks);
    unsigned* pair_of = allocate<unsigned>(options.blocks);
    launch.sides = sides;
    launch.pair_of = pair_of;
    launch.runs_of_pair = runs_of_pair;
    launch.pairs = options.pairs;
    launch.locations = allocate<unsigned>(words);
    launch.met = allocate<unsigned>(options.pairs);
    launch.finished = allocate<unsigned>(1);
    launch.stressed = allocate<unsigned>(STRESSED);
    launch.seen = allocate<unsigned long long>(4);

    std::mt19937 chance(options.seed);
    std::vector<unsigned> order(options.blocks);
    std::iota(order.begin(), order.end(), 0U);
    for (unsigned long long done = 0; done < options.runs; done += launch.runs) {
        // Which blocks and threads take part is up to chance.
        std::shuffle(order.begin(), order.end(), chance);
        std::vector<Side> side(options.blocks, Side::stress);
        std::vector<unsigned> pair(options.blocks, 0);
        for (unsigned number = 0; number < 2 * options.pairs; number++) {
            side[order[number]] = number % 2 == 0 ? Side::writer : Side::reader;
            pair[order[number]] = number / 2;
        }
        check(cudaMemcpy(sides, side.data(), side.size() * sizeof(Side), cudaMemcpyHostToDevice));
        check(cudaMemcpy(pair_of, pair.data(), pair.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        check(cudaMemset(launch.locations, 0, words * sizeof(unsigned)));
        check(cudaMemset(launch.met, 0, options.pairs * sizeof(unsigned)));
        check(cudaMemset(launch.finished, 0, sizeof(unsigned)));
        launch.runs = unsigned(std::min<unsigned long long>(options.runs - done, options.pairs * runs_of_pair));
        launch.tester = chance() % options.threads;
        launch.seed = chance();
        row.kernel<<<options.blocks, options.threads>>>(launch);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
    unsigned long long seen[4];
    check(cudaMemcpy(seen, launch.seen, sizeof seen, cudaMemcpyDeviceToHost));
    std::printf("%-11s %-11s %12llu %12llu %12llu %12llu %8s %8s\n", row.fence1, row.fence2, seen[0], seen[2], seen[3],
                seen[1], row.kepler, row.maxwell);
    for (void* place : {static_cast<void*>(sides), static_cast<void*>(pair_of), static_cast<void*>(launch.locations),
                        static_cast<void*>(launch.met), static_cast<void*>(launch.finished),
                        static_cast<void*>(launch.stressed), static_cast<void*>(launch.seen)}) {
        check(cudaFree(place));
    }
    return seen[0] + seen[1] + seen[2] + seen[3] == options.runs;
}

int main(int count, char** words) {
    Options options = read_options(count, words);
    const Row rows[] = {
        {message_passing<Fence::block, Fence::block>, "membar.cta", "membar.cta", "7253", "0"},
        {message_passing<Fence::block, Fence::device>, "membar.cta", "membar.gl", "0", "0"},
        {message_passing<Fence::device, Fence::block>, "membar.gl", "membar.cta", "0", "0"},
        {message_passing<Fence::device, Fence::device>, "membar.gl", "membar.gl", "0", "0"},
        {message_passing<Fence::none, Fence::none>, "none", "none", "-", "-"},
    };
    std::printf("x = 1; fence1; y = 1  beside  r1 = y; fence2; r2 = x  in another block, %llu runs each\n", options.runs);
    std::printf("%-11s %-11s %12s %12s %12s %12s %8s %8s\n", "fence1", "fence2", "r1=0 r2=0", "r1=0 r2=1", "r1=1 r2=1",
                "r1=1 r2=0", "K520", "Titan X");
    bool is_whole = true;
    for (const Row& row : rows) {
        is_whole &= measure(options, row);
    }
    if (!is_whole) {
        std::printf("WRONG: some runs have no outcome\n");
    }
    return is_whole ? 0 : 1;
}
