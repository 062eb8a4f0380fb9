// A program that does what no program should to those who watch it, and then has a race, or has none. It ends with 9 when
// something that it needs does not work, with 8 when this machine does not let it, and with 0 otherwise.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

bool is_racy = false;

int launch() {
    int *numbers = nullptr;
    if (cudaMalloc(&numbers, sizeof(int) * THREADS) != cudaSuccess ||
        cudaMemset(numbers, 0, sizeof(int) * THREADS) != cudaSuccess) {
        return BROKEN;
    }
    if (is_racy) {
        exchange_without_barrier<<<1, THREADS>>>(numbers);
    } else {
        exchange<<<1, THREADS>>>(numbers);
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

void close_all() {
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        close(descriptor);
    }
}

// Every descriptor that is open becomes a file of the program's own.
void replace_all() {
    int const own = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        if (descriptor != own && fcntl(descriptor, F_GETFD) >= 0) {
            dup2(own, descriptor);
        }
    }
}

// Files are opened where descriptors were closed.
void close_and_open() {
    close_all();
    for (int count = 0; count < 64; count++) {
        int const own = open("/tmp", O_TMPFILE | O_RDWR, 0600);
        if (own >= 0) {
            (void)!ftruncate(own, 1 << 20);
        }
    }
}

void delete_files() {
    if (char const *folder = getenv("WARPSAN_REPORT_DIR")) {
        std::error_code ignored;
        std::filesystem::remove_all(std::filesystem::path(folder).parent_path(), ignored);
    }
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

char *empty[] = {nullptr};

int spawned(char **environment) {
    std::string path = own_path();
    Words words = again(path, "plain");
    pid_t process = 0;
    if (posix_spawn(&process, path.c_str(), nullptr, nullptr, words.data(), environment) != 0) {
        return BROKEN;
    }
    return wait_for(process);
}

int by_shell() {
    std::string const command = own_path() + " plain " + (is_racy ? "racy" : "clean");
    int const status = system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
}

int by_pipe() {
    std::string const command = own_path() + " plain " + (is_racy ? "racy" : "clean");
    FILE *pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return BROKEN;
    }
    int const status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
}

bool become_nobody() {
    return setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
}

struct Mode {
    char const *name;
    std::function<int()> run;
};

std::vector<Mode> const MODES = {
    {"plain", launch},
    {"divided", divided},
    {"close-before", [] { close_all(); return launch(); }},
    {"close-after", [] { int const first = launch(); close_all(); return first | launch(); }},
    {"close-then-open", [] { int const first = launch(); close_and_open(); return first | launch(); }},
    {"replace-after", [] { int const first = launch(); replace_all(); return first | launch(); }},
    {"close-then-divided", [] { int const first = launch(); close_and_open(); return first | divided() | launch(); }},
    {"replace-then-divided", [] { int const first = launch(); replace_all(); return first | divided() | launch(); }},
    {"close-range", [] { int const first = launch(); syscall(SYS_close_range, 3U, ~0U, 0U); return first | launch(); }},
    {"clear-environment", [] { clearenv(); return launch(); }},
    {"no-environment", [] { environ = nullptr; return launch(); }},
    {"delete-before", [] { delete_files(); return launch(); }},
    {"delete-after", [] { int const first = launch(); delete_files(); return first | launch(); }},
    {"file-size-ignored", [] { signal(SIGXFSZ, SIG_IGN); return limit(RLIMIT_FSIZE, 0) ? launch() : UNABLE; }},
    {"file-size", [] { return limit(RLIMIT_FSIZE, 0) ? launch() : UNABLE; }},
    {"file-size-divided", [] { return limit(RLIMIT_FSIZE, 0) ? divided() | launch() : UNABLE; }},
    {"file-size-after", [] { int const first = launch(); return limit(RLIMIT_FSIZE, 0) ? first | launch() : UNABLE; }},
    {"umask", [] { umask(0777); return launch(); }},
    {"chroot", [] { return chroot("/proc") == 0 && chdir("/") == 0 ? launch() : UNABLE; }},
    {"chroot-after", [] { int const first = launch(); return chroot("/proc") == 0 ? first | launch() : UNABLE; }},
    {"nobody", [] { return become_nobody() ? launch() : UNABLE; }},
    {"nobody-after", [] { int const first = launch(); return become_nobody() ? first | launch() : UNABLE; }},
    {"other-folder", [] { return chdir("/") == 0 ? launch() : UNABLE; }},
    {"child-execve", [] { return child([](char const *path, char **words) { execve(path, words, environ); }); }},
    {"child-execve-empty", [] { return child([](char const *path, char **words) { execve(path, words, empty); }); }},
    {"child-execv", [] { return child([](char const *path, char **words) { execv(path, words); }); }},
    {"child-execvp", [] { return child([](char const *path, char **words) { execvp(path, words); }); }},
    {"child-execvpe-empty", [] { return child([](char const *path, char **words) { execvpe(path, words, empty); }); }},
    {"child-execl", [] { return child([](char const *path, char **words) { execl(path, words[0], words[1], words[2], nullptr); }); }},
    {"child-execlp", [] { return child([](char const *path, char **words) { execlp(path, words[0], words[1], words[2], nullptr); }); }},
    {"child-execle-empty",
     [] { return child([](char const *path, char **words) { execle(path, words[0], words[1], words[2], nullptr, empty); }); }},
    {"child-execl-long",
     [] {
         return child([](char const *path, char **words) {
             execl(path, words[0], words[1], words[2], "4", "5", "6", "7", "8", "9", "10", nullptr);
         });
     }},
    {"child-fexecve-empty",
     [] { return child([](char const *path, char **words) { fexecve(open(path, O_RDONLY), words, empty); }); }},
    {"child-cleared", [] { return child([](char const *path, char **words) { clearenv(); execv(path, words); }); }},
    {"child-without-preload",
     [] { return child([](char const *path, char **words) { unsetenv("LD_PRELOAD"); unsetenv("LD_AUDIT"); execv(path, words); }); }},
    {"child-nobody", [] { return child([](char const *path, char **words) { if (become_nobody()) { execv(path, words); } _exit(UNABLE); }); }},
    {"child-nobody-empty",
     [] { return child([](char const *path, char **words) { if (become_nobody()) { execve(path, words, empty); } _exit(UNABLE); }); }},
    {"child-few-descriptors",
     [] { return child([](char const *path, char **words) { limit(RLIMIT_NOFILE, 3); execv(path, words); }); }},
    {"child-file-size", [] { return child([](char const *path, char **words) { limit(RLIMIT_FSIZE, 0); execv(path, words); }); }},
    {"child-spawned", [] { return spawned(environ); }},
    {"child-spawned-empty", [] { return spawned(empty); }},
    {"child-shell", by_shell},
    {"child-shell-cleared", [] { clearenv(); return by_shell(); }},
    {"child-pipe", by_pipe},
    {"child-pipe-cleared", [] { clearenv(); return by_pipe(); }},
    {"fork-then-launch", [] { pid_t const process = fork(); if (process == 0) { exit(launch()); } return wait_for(process); }},
    {"fork-close-launch",
     [] { pid_t const process = fork(); if (process == 0) { close_all(); exit(launch()); } return wait_for(process); }},
};

} // namespace

int main(int count, char **arguments) {
    char const *mode = count > 1 ? arguments[1] : "";
    is_racy = count > 2 && strcmp(arguments[2], "racy") == 0;
    for (Mode const &known : MODES) {
        if (strcmp(mode, "list") == 0) {
            puts(known.name);
        } else if (strcmp(mode, known.name) == 0) {
            return known.run();
        }
    }
    return strcmp(mode, "list") == 0 ? 0 : BROKEN;
}
