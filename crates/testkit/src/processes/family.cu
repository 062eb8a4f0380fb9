// One program for all trials of processes; the first argument says what it does. Kernel `rotate<N>` has a race of its
// own for each N, so that a report tells which of them were seen.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// As many as any trial has processes or steps.
constexpr int KERNELS = 32;

template <int NUMBER>
__global__ void rotate(int *numbers, int rounds) {
    __shared__ int tile[64];
    tile[threadIdx.x] = numbers[threadIdx.x];
    numbers[threadIdx.x] = tile[(threadIdx.x + 32) % 64] + NUMBER;
    for (int round = 0; round < rounds; round++) {
        numbers[threadIdx.x] = numbers[threadIdx.x] * 3 + round;
    }
}

__global__ void wait_for_ever(volatile int *number) {
    while (*number == 0) {
    }
}

__global__ void write_to(int *nowhere) {
    nowhere[threadIdx.x] = 1;
}

template <int NUMBER>
void launch(int wanted, int *numbers, int rounds) {
    if (wanted == NUMBER) {
        rotate<NUMBER><<<1, 64>>>(numbers, rounds);
    } else if constexpr (NUMBER > 0) {
        launch<NUMBER - 1>(wanted, numbers, rounds);
    }
}

int *zeroed_memory() {
    int *numbers = nullptr;
    cudaMalloc(&numbers, 64 * sizeof(int));
    cudaMemset(numbers, 0, 64 * sizeof(int));
    return numbers;
}

// Whether the kernel with this number ran to its end.
bool race(int number, int rounds = 0) {
    static int *const numbers = zeroed_memory();
    launch<KERNELS - 1>(number, numbers, rounds);
    return cudaDeviceSynchronize() == cudaSuccess;
}

void stay_in_a_kernel() {
    dprintf(1, "%d\n", static_cast<int>(getpid()));
    wait_for_ever<<<1, 64>>>(zeroed_memory());
    cudaDeviceSynchronize();
}

// Each child races in its own kernel. None has used CUDA when it is started.
int crowd(int count) {
    for (int number = 0; number < count; number++) {
        if (fork() == 0) {
            std::exit(race(number) ? 0 : 9);
        }
    }
    int failed = 0, status;
    while (wait(&status) > 0) {
        failed += status != 0;
    }
    return failed == 0 ? 0 : 9;
}

// Says its number, and then each kernel that has ended.
int steps(int count, int rounds) {
    dprintf(1, "process %d\n", static_cast<int>(getpid()));
    for (int number = 0; number < count; number++) {
        if (!race(number, rounds)) {
            return 9;
        }
        dprintf(1, "%d\n", number);
    }
    return 0;
}

int fault() {
    race(0);
    write_to<<<1, 32>>>(nullptr);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 7 : 9;
}

int crash() {
    race(0);
    raise(SIGSEGV);
    return 9;
}

// A parent and a child that never end, and one whose own parent has gone and which is in a session of its own.
int never() {
    race(0);
    if (fork() == 0) {
        if (fork() == 0) {
            setsid();
            dprintf(1, "%d\n", static_cast<int>(getpid()));
            for (;;) {
                pause();
            }
        }
        _exit(0);
    }
    wait(nullptr);
    stay_in_a_kernel();
    return 9;
}

// The process that races is the child of one that has ended. The pipe closes when it has ended, too.
int outlived() {
    int ends[2];
    if (pipe(ends) != 0) {
        return 9;
    }
    if (fork() == 0) {
        close(ends[0]);
        if (fork() == 0) {
            usleep(100000);
            std::exit(race(3) ? 0 : 9);
        }
        _exit(0);
    }
    close(ends[1]);
    wait(nullptr);
    char nothing;
    return read(ends[0], &nothing, 1) == 0 ? 0 : 9;
}

// Says its number, and stays in a function of the host.
int stay_in_a_function() {
    race(0);
    auto const stay = [](void *) {
        dprintf(1, "%d\n", static_cast<int>(getpid()));
        for (;;) {
            pause();
        }
    };
    cudaLaunchHostFunc(nullptr, stay, nullptr);
    cudaDeviceSynchronize();
    return 9;
}

// A function of the host sends a signal to its own thread.
int raise_in_a_function() {
    race(0);
    cudaLaunchHostFunc(nullptr, [](void *) { raise(SIGTERM); }, nullptr);
    cudaDeviceSynchronize();
    return 9;
}

// A function of the host lets an exception out, and the program says so before it aborts.
int throws() {
    rlimit const no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    race(0);
    std::set_terminate([] {
        try {
            std::rethrow_exception(std::current_exception());
        } catch (std::exception const &failure) {
            dprintf(1, "terminated: %s\n", failure.what());
        }
        std::abort();
    });
    cudaLaunchHostFunc(nullptr, [](void *) { throw std::runtime_error("nobody is above"); }, nullptr);
    cudaDeviceSynchronize();
    return 9;
}

// A thread is cancelled while it waits in a call of the system.
int cancelled() {
    race(0);
    static int ends[2];
    if (pipe(ends) != 0) {
        return 9;
    }
    pthread_t thread;
    auto const wait_for_a_byte = [](void *) -> void * {
        char nothing;
        return read(ends[0], &nothing, 1) == 1 ? nullptr : &ends;
    };
    pthread_create(&thread, nullptr, wait_for_a_byte, nullptr);
    usleep(50000);
    pthread_cancel(thread);
    void *answer = nullptr;
    pthread_join(thread, &answer);
    return answer == PTHREAD_CANCELED ? 0 : 9;
}

// The handler of a signal ends the process, wherever the program is: in a kernel mostly, or in a call.
int end_in_a_handler(int microseconds) {
    race(0);
    signal(SIGALRM, [](int) { _exit(4); });
    itimerval const timer = {{0, 0}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, nullptr);
    int *numbers = zeroed_memory();
    for (;;) {
        rotate<1><<<1, 64>>>(numbers, 200);
        int *more = zeroed_memory();
        cudaDeviceSynchronize();
        cudaFree(more);
    }
}

// What is inherited of signals.
int inherited() {
    race(0);
    struct sigaction action;
    sigset_t blocked;
    sigaction(SIGPIPE, nullptr, &action);
    sigprocmask(SIG_BLOCK, nullptr, &blocked);
    dprintf(1, "%s %s\n", action.sa_handler == SIG_IGN ? "ignored" : "default",
            sigismember(&blocked, SIGUSR2) ? "blocked" : "open");
    return 0;
}

// The program ends while a function of the host and a copy are in line, behind a kernel.
int leave_work() {
    race(0);
    static int answer[1024];
    cudaHostRegister(answer, sizeof answer, cudaHostRegisterDefault);
    int *numbers = zeroed_memory();
    rotate<1><<<1, 64>>>(numbers, 0);
    cudaMemcpyAsync(answer, numbers, sizeof *answer, cudaMemcpyDeviceToHost);
    cudaLaunchHostFunc(nullptr, [](void *) {}, nullptr);
    return 0;
}

// The main thread leaves, and the process ends with another one.
int main_leaves() {
    auto const work = [](void *) -> void * {
        usleep(50000);
        race(0);
        usleep(50000);
        return nullptr;
    };
    cudaFree(nullptr);
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_exit(nullptr);
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    int const first = count > 2 ? std::atoi(arguments[2]) : 0;
    int const second = count > 3 ? std::atoi(arguments[3]) : 0;
    if (!strcmp(mode, "crowd")) {
        return crowd(first);
    } else if (!strcmp(mode, "steps")) {
        return steps(first, second);
    } else if (!strcmp(mode, "rank")) {
        return race(first) ? 0 : 9;
    } else if (!strcmp(mode, "fault")) {
        return fault();
    } else if (!strcmp(mode, "crash")) {
        return crash();
    } else if (!strcmp(mode, "never")) {
        return never();
    } else if (!strcmp(mode, "stay")) {
        race(0);
        stay_in_a_kernel();
    } else if (!strcmp(mode, "stay-in-function")) {
        return stay_in_a_function();
    } else if (!strcmp(mode, "raise-in-function")) {
        return raise_in_a_function();
    } else if (!strcmp(mode, "throws")) {
        return throws();
    } else if (!strcmp(mode, "cancelled")) {
        return cancelled();
    } else if (!strcmp(mode, "end-in-handler")) {
        return end_in_a_handler(first);
    } else if (!strcmp(mode, "main-leaves")) {
        return main_leaves();
    } else if (!strcmp(mode, "inherited")) {
        return inherited();
    } else if (!strcmp(mode, "leave-work")) {
        return leave_work();
    } else if (!strcmp(mode, "outlived")) {
        return outlived();
    } else if (!strcmp(mode, "exec")) {
        race(0);
        execl(arguments[0], arguments[0], "rank", "1", nullptr);
    }
    return 9;
}
