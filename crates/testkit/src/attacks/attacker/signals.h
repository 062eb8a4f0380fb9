// Signals: blocked, handled by others, and many of them.
#pragma once

#include "common.h"
#include <sys/time.h>

namespace {

int launches_of_handler = 0;

void block_all() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
}

void block_all_by_system_call() {
    unsigned long const all = ~0UL;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, nullptr, sizeof all);
}

void count_signal(int) {
    launches_of_handler++;
}

void segfault(int) {
    _exit(BROKEN);
}

void handle_by_sigaction(int number, int flags) {
    struct sigaction action {};
    action.sa_handler = segfault;
    action.sa_flags = flags;
    sigaction(number, &action, nullptr);
}

// As the system takes it: with a function that returns from the handler.
struct KernelAction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
};

void handle_by_system_call() {
    KernelAction before{};
    syscall(SYS_rt_sigaction, SIGSEGV, nullptr, &before, sizeof before.mask);
    KernelAction action = before;
    action.handler = segfault;
    syscall(SYS_rt_sigaction, SIGSEGV, &action, nullptr, sizeof action.mask);
}

// The host looks at managed memory while kernels are in flight, which comes to us as a signal.
int touched() {
    int *numbers = nullptr;
    if (cudaMallocManaged(&numbers, sizeof(int) * THREADS * 2) != cudaSuccess) {
        return BROKEN;
    }
    if (is_racy) {
        exchange_without_barrier<<<1, THREADS>>>(numbers);
    } else {
        exchange<<<1, THREADS>>>(numbers);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) {
        return BROKEN;
    }
    exchange<<<1, THREADS>>>(numbers + THREADS);
    numbers[0] = numbers[1];
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : BROKEN;
}

void use_other_stack() {
    static char stack[16 << 10];
    stack_t const other{stack, 0, sizeof stack};
    sigaltstack(&other, nullptr);
}

// A signal every millisecond.
int in_a_storm(int flags) {
    struct sigaction action {};
    action.sa_handler = count_signal;
    action.sa_flags = flags;
    sigaction(SIGALRM, &action, nullptr);
    itimerval const often{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &often, nullptr);
    int failed = 0;
    for (int count = 0; count < 20; count++) {
        failed |= launch();
    }
    return failed | divided();
}

Modes signals() {
    return {
        {"signals-blocked", [] { block_all(); return launch() | touched(); }},
        {"signals-blocked-raw", [] { block_all_by_system_call(); return launch(); }},
        {"signals-blocked-raw-touched", [] { block_all_by_system_call(); return touched(); }, Wanted::Named},
        {"segv-sigaction", [] { handle_by_sigaction(SIGSEGV, 0); return touched(); }},
        {"segv-sigaction-after", [] { int const first = touched(); handle_by_sigaction(SIGSEGV, 0); return first | touched(); }},
        {"segv-signal", [] { signal(SIGSEGV, segfault); return touched(); }},
        {"segv-ignored", [] { signal(SIGSEGV, SIG_IGN); return touched(); }},
        {"segv-default", [] { signal(SIGSEGV, SIG_DFL); return touched(); }},
        {"segv-raw", [] { handle_by_system_call(); return launch(); }},
        {"segv-raw-touched", [] { int const first = launch(); handle_by_system_call(); return first | touched(); }, Wanted::Named},
        {"segv-other-stack", [] { use_other_stack(); handle_by_sigaction(SIGSEGV, SA_ONSTACK); return touched(); }},
        {"other-stack", [] { use_other_stack(); return touched(); }},
        {"signal-storm", [] { return in_a_storm(SA_RESTART); }},
        {"signal-storm-without-restart", [] { return in_a_storm(0); }},
        {"signal-storm-other-stack", [] { use_other_stack(); return in_a_storm(SA_RESTART | SA_ONSTACK); }},
        {"children-ignored", [] { signal(SIGCHLD, SIG_IGN); return forked(launch) == BROKEN ? launch() : BROKEN; }},
        {"pipe-ignored", [] { signal(SIGPIPE, SIG_IGN); return launch(); }},
    };
}

} // namespace
