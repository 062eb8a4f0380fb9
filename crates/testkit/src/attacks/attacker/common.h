// What all attacks have in common: kernels with and without a race, and this program once more as a child.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace {

constexpr int THREADS = 64;
constexpr int BLOCKS = 512;
constexpr int UNABLE = 8;
constexpr int BROKEN = 9;

// What has to come of an attack.
enum class Wanted {
    // It is checked as if nothing had happened.
    Checked,
    // It cannot be checked as a whole, and the report says so: with a race it is never clean.
    Named,
    // It has no race of its own, whatever its argument says.
    Clean,
};

struct Mode {
    char const *name;
    std::function<int()> run;
    Wanted wanted = Wanted::Checked;
    // The code that the program itself ends with; 128 and a signal if that ends it.
    int code = 0;
};

using Modes = std::vector<Mode>;

bool is_racy = false;
// A library with the same kernels, for those who load it while they run.
char const *library = nullptr;

// The two warps of a block exchange numbers, with a barrier between or without.
__global__ void exchange_without_barrier(int *numbers) {
    __shared__ int tile[THREADS];
    int const at = blockIdx.x * THREADS + threadIdx.x;
    tile[threadIdx.x] = numbers[at];
    numbers[at] = tile[(threadIdx.x + 32) % THREADS] + 1;
}

__global__ void exchange(int *numbers) {
    __shared__ int tile[THREADS];
    int const at = blockIdx.x * THREADS + threadIdx.x;
    tile[threadIdx.x] = numbers[at];
    __syncthreads();
    numbers[at] = tile[(threadIdx.x + 32) % THREADS] + 1;
}

// Long enough to be divided among cores, which takes views of memory.
__global__ void count_up(int *numbers, int rounds) {
    int const at = blockIdx.x * THREADS + threadIdx.x;
    int sum = numbers[at];
    for (int round = 0; round < rounds; round++) {
        sum = sum * 3 + round;
    }
    numbers[at] = sum;
}

int expected_count(int start, int rounds) {
    unsigned sum = start;
    for (int round = 0; round < rounds; round++) {
        sum = sum * 3 + round;
    }
    return static_cast<int>(sum);
}

// Asks for the work and does not wait for it; nothing if that fails.
int *submit() {
    int *numbers = nullptr;
    if (cudaMalloc(&numbers, sizeof(int) * THREADS) != cudaSuccess ||
        cudaMemset(numbers, 0, sizeof(int) * THREADS) != cudaSuccess) {
        return nullptr;
    }
    if (is_racy) {
        exchange_without_barrier<<<1, THREADS>>>(numbers);
    } else {
        exchange<<<1, THREADS>>>(numbers);
    }
    return numbers;
}

int launch() {
    int *const numbers = submit();
    if (numbers == nullptr) {
        return BROKEN;
    }
    bool const ok = cudaDeviceSynchronize() == cudaSuccess;
    cudaFree(numbers);
    return ok ? 0 : BROKEN;
}

// A launch that is divided gives the right numbers.
int divided() {
    constexpr int ROUNDS = 2000;
    int *numbers = nullptr;
    if (cudaMalloc(&numbers, sizeof(int) * THREADS * BLOCKS) != cudaSuccess ||
        cudaMemset(numbers, 0, sizeof(int) * THREADS * BLOCKS) != cudaSuccess) {
        return BROKEN;
    }
    count_up<<<BLOCKS, THREADS>>>(numbers, ROUNDS);
    std::vector<int> found(THREADS * BLOCKS);
    if (cudaMemcpy(found.data(), numbers, sizeof(int) * found.size(), cudaMemcpyDeviceToHost) != cudaSuccess) {
        return BROKEN;
    }
    int const wanted = expected_count(0, ROUNDS);
    int wrong = 0;
    for (int number : found) {
        wrong += number != wanted;
    }
    if (wrong > 0) {
        fprintf(stderr, "%d numbers are wrong\n", wrong);
    }
    return wrong == 0 ? 0 : BROKEN;
}

// Launches, does something to those who watch, and launches once more.
template <typename Deed>
int between(Deed deed) {
    int const first = launch();
    deed();
    return first | launch();
}

bool limit(decltype(RLIMIT_FSIZE) what, rlim_t to) {
    rlimit const both{to, to};
    return setrlimit(what, &both) == 0;
}

std::string own_path() {
    return std::filesystem::read_symlink("/proc/self/exe");
}

int wait_for(pid_t child) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return BROKEN;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
}

using Words = std::vector<char *>;

Words again(std::string &path, char const *mode) {
    return {path.data(), const_cast<char *>(mode), const_cast<char *>(is_racy ? "racy" : "clean"), nullptr};
}

std::string again_in_words() {
    return own_path() + " plain " + (is_racy ? "racy" : "clean");
}

// This program once more, as a child that is started in this way.
int child(std::function<void(char const *, char **)> const &start) {
    std::string path = own_path();
    pid_t const process = fork();
    if (process == 0) {
        Words words = again(path, "plain");
        start(path.c_str(), words.data());
        _exit(BROKEN);
    }
    return wait_for(process);
}

// A copy of this process that does this.
int forked(std::function<int()> const &body) {
    pid_t const process = fork();
    if (process == 0) {
        exit(body());
    }
    return wait_for(process);
}

char *empty[] = {nullptr};

int by_shell(std::string const &command) {
    int const status = system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
}

// A folder for files of the program's own, which goes with what is in it.
struct Folder {
    std::string path = P_tmpdir "/attacker-XXXXXX";
    bool ok = mkdtemp(path.data()) != nullptr;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

} // namespace
