// Cooperative launches: grid.sync in a loop, one that ends by a vote over the grid, and split arrival and wait.
#include "../values/support/check.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void grid_sync_ping_pong(int rounds, int *first, int *second) {
    auto grid = cg::this_grid();
    int cells = static_cast<int>(grid.size()), i = static_cast<int>(grid.thread_rank());
    for (int round = 0; round < rounds; ++round) {
        int *from = round % 2 == 0 ? first : second, *to = round % 2 == 0 ? second : first;
        to[i] = (from[i] + from[(i + cells - 1) % cells] * 2 + from[(i + 1) % cells]) % 10007;
        grid.sync();
    }
}

// Values are halved until none is above the limit; all blocks must leave the loop in the same round.
__global__ void grid_sync_until_done(int *values, int *above, int *rounds) {
    auto grid = cg::this_grid();
    int i = static_cast<int>(grid.thread_rank());
    for (int round = 0;; ++round) {
        if (values[i] > 10) {
            values[i] /= 2;
            atomicAdd(&above[round], 1);
        }
        grid.sync();
        if (above[round] == 0) {
            if (i == 0) {
                *rounds = round;
            }
            break;
        }
    }
}

__global__ void grid_arrive_and_wait(int rounds, int *lines, int *out) {
    auto grid = cg::this_grid();
    int blocks = gridDim.x, sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) {
            lines[round * blocks + blockIdx.x] = blockIdx.x * 10 + round;
        }
        auto token = grid.barrier_arrive();
        sum = sum * 3 + round;
        grid.barrier_wait(std::move(token));
        sum += lines[round * blocks + (blockIdx.x + threadIdx.x) % blocks];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <typename Kernel> void launch_cooperatively(Kernel kernel, int blocks, int threads, void **arguments) {
    REQUIRE_SUCCESS(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), dim3(blocks), dim3(threads),
                                                arguments, 0, nullptr));
}

int main() {
    {
        const int blocks = 10, threads = 64, cells = blocks * threads;
        int rounds = 8;
        auto state = check::integers<int>(cells, 511, 0, 10000);
        check::DeviceBuffer<int> dfirst(state), dsecond(cells);
        int *first = dfirst, *second = dsecond;
        void *arguments[] = {&rounds, &first, &second};
        launch_cooperatively(grid_sync_ping_pong, blocks, threads, arguments);
        for (int round = 0; round < rounds; ++round) {
            std::vector<int> next(cells);
            for (int i = 0; i < cells; ++i) {
                next[i] = (state[i] + state[(i + cells - 1) % cells] * 2 + state[(i + 1) % cells]) % 10007;
            }
            state = next;
        }
        check::exact("grid_sync_ping_pong", dfirst.to_host(), state);
    }
    {
        const int blocks = 6, threads = 96;
        auto state = check::integers<int>(blocks * threads, 512, 0, 100000);
        check::DeviceBuffer<int> dvalues(state), dabove(32), drounds(1);
        int *values = dvalues, *above = dabove, *round_count = drounds;
        void *arguments[] = {&values, &above, &round_count};
        launch_cooperatively(grid_sync_until_done, blocks, threads, arguments);
        int most = 0;
        for (int &v : state) {
            int rounds = 0;
            for (; v > 10; ++rounds) {
                v /= 2;
            }
            most = rounds > most ? rounds : most;
        }
        check::exact("grid_sync_until_done", dvalues.to_host(), state);
        check::exact("grid_sync_until_done_rounds", drounds.to_host(), std::vector<int>{most});
    }
    {
        const int blocks = 7, threads = 64;
        int rounds = 6;
        check::DeviceBuffer<int> dlines(blocks * rounds), dout(blocks * threads);
        int *lines = dlines, *output = dout;
        void *arguments[] = {&rounds, &lines, &output};
        launch_cooperatively(grid_arrive_and_wait, blocks, threads, arguments);
        std::vector<int> out(blocks * threads);
        for (int i = 0; i < blocks * threads; ++i) {
            for (int round = 0; round < rounds; ++round) {
                out[i] = out[i] * 3 + round + (i / threads + i % threads) % blocks * 10 + round;
            }
        }
        check::exact("grid_arrive_and_wait", dout.to_host(), out);
    }
    return check::finish();
}
