// Launches a racy kernel when the process, or a thread, is already ending, by the first argument.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

__device__ int word;

__global__ void early(int *cells) {
    cells[threadIdx.x] = 1;
}

// Has enough to do for more than one core.
__global__ void late(int rounds) {
    int sum = threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        sum = sum * 31 + (sum >> 3);
    }
    if (blockIdx.x == 0) {
        word = sum;
    }
}

static void launch() {
    late<<<512, 256>>>(200);
    std::printf("late: %s\n", cudaGetErrorName(cudaGetLastError()));
    std::fflush(stdout);
}

static bool in_static_destructor, in_fini;

struct AtTheEnd {
    bool is_armed = false;
    ~AtTheEnd() {
        if (is_armed || in_static_destructor) {
            launch();
        }
    }
};

static AtTheEnd of_process;
static thread_local AtTheEnd of_thread;

__attribute__((destructor)) static void fini() {
    if (in_fini) {
        launch();
    }
}

static void work() {
    int *cells;
    cudaMalloc(&cells, 32 * sizeof *cells);
    early<<<1, 32>>>(cells);
    cudaDeviceSynchronize();
}

static void work_and_launch_at_thread_end() {
    of_thread.is_armed = true;
    work();
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    if (!strcmp(mode, "handler-before")) {
        std::atexit(launch);
        work();
    } else if (!strcmp(mode, "handler-after")) {
        work();
        std::atexit(launch);
    } else if (!strcmp(mode, "static")) {
        in_static_destructor = true;
        work();
    } else if (!strcmp(mode, "thread-of-main")) {
        work_and_launch_at_thread_end();
    } else if (!strcmp(mode, "other-thread")) {
        std::thread(work_and_launch_at_thread_end).join();
    } else if (!strcmp(mode, "fini")) {
        in_fini = true;
        work();
    }
    return 0;
}
