// How a process ends: with work that nobody has waited for, in handlers, destructors and by signals.
#pragma once

#include "common.h"
#include <csetjmp>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <thread>

namespace {

// What destructors and handlers launch, if they are asked to.
bool launches_in_destructor = false;
bool launches_in_static_destructor = false;

struct AtEnd {
    bool *is_wanted;
    ~AtEnd() {
        if (*is_wanted) {
            launch();
        }
    }
};

AtEnd static_object{&launches_in_static_destructor};

__attribute__((destructor)) void end_of_program() {
    if (launches_in_destructor) {
        launch();
    }
}

bool launches_in_thread_local = false;
thread_local AtEnd object_of_thread{&launches_in_thread_local};

void launch_at_end() {
    launch();
}

void launch_on_exit(int, void *) {
    launch();
}

void exit_quietly() {
    submit();
    _exit(0);
}

// Work that nobody waits for.
int unfinished() {
    return submit() == nullptr ? BROKEN : 0;
}

int ended_by(int signal) {
    if (submit() == nullptr || cudaDeviceSynchronize() != cudaSuccess) {
        return BROKEN;
    }
    // Whoever started us may have ignored it.
    ::signal(signal, SIG_DFL);
    raise(signal);
    return BROKEN;
}

Mode by_signal(char const *name, int signal) {
    return {name, [=] { return ended_by(signal); }, Wanted::Checked, 128 + signal};
}

void end_in_handler(int) {
    _exit(0);
}

void leave_in_handler(int) {
    exit(0);
}

sigjmp_buf place;

void jump_from_handler(int) {
    siglongjmp(place, 1);
}

int jumped() {
    signal(SIGUSR1, jump_from_handler);
    if (sigsetjmp(place, 1) == 0) {
        submit();
        raise(SIGUSR1);
    }
    return cudaDeviceSynchronize() == cudaSuccess ? launch() : BROKEN;
}

int with_detached_threads() {
    for (int count = 0; count < 4; count++) {
        std::thread([] { for (;;) { divided(); } }).detach();
    }
    return launch();
}

void *leave_process(void *) {
    launch();
    exit(0);
}

int left_by_thread() {
    pthread_t thread;
    pthread_create(&thread, nullptr, leave_process, nullptr);
    pthread_join(thread, nullptr);
    return BROKEN;
}

int main_leaves() {
    static int failed = 0;
    std::thread([] {
        usleep(20000);
        failed = launch();
        exit(failed);
    }).detach();
    pthread_exit(nullptr);
}

int cancelled() {
    std::thread thread([] {
        submit();
        for (;;) {
            usleep(1000);
        }
    });
    usleep(50000);
    pthread_cancel(thread.native_handle());
    thread.join();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : BROKEN;
}

int by_system_call_left(int code) {
    syscall(SYS_exit_group, code);
    return BROKEN;
}

int overflow(int depth) {
    volatile char much[1 << 16];
    much[0] = static_cast<char>(depth);
    return overflow(depth + 1) + much[0];
}

Modes endings() {
    return {
        {"end-unfinished", unfinished},
        {"end-exit", [] { submit(); exit(0); return BROKEN; }},
        {"end-_exit", [] { submit(); _exit(0); return BROKEN; }},
        {"end-_Exit", [] { submit(); _Exit(0); return BROKEN; }},
        {"end-quick-exit", [] { submit(); quick_exit(0); return BROKEN; }},
        {"end-quick-exit-handler", [] { at_quick_exit(launch_at_end); quick_exit(0); return BROKEN; }},
        {"end-raw-exit", [] { return launch() | by_system_call_left(0); }, Wanted::Named},
        {"end-raw-exit-unfinished", [] { submit(); return by_system_call_left(0); }, Wanted::Named},
        {"end-abort", [] { int const failed = launch(); if (failed == 0) { abort(); } return failed; }, Wanted::Checked, 128 + SIGABRT},
        {"end-exception", [] { int const failed = launch(); if (failed == 0) { throw std::runtime_error("nobody catches it"); } return failed; }, Wanted::Checked, 128 + SIGABRT},
        {"end-stack-overflow", [] { int const failed = launch(); return failed == 0 ? overflow(0) : failed; }, Wanted::Checked, 128 + SIGSEGV},
        {"end-null", [] { int const failed = launch(); int volatile *volatile nowhere = nullptr; *nowhere = 1; return failed; }, Wanted::Checked, 128 + SIGSEGV},
        by_signal("end-by-hangup", SIGHUP),
        by_signal("end-by-interrupt", SIGINT),
        by_signal("end-by-quit", SIGQUIT),
        by_signal("end-by-illegal", SIGILL),
        by_signal("end-by-trap", SIGTRAP),
        by_signal("end-by-bus", SIGBUS),
        by_signal("end-by-arithmetic", SIGFPE),
        by_signal("end-by-kill", SIGKILL),
        by_signal("end-by-segv", SIGSEGV),
        by_signal("end-by-pipe", SIGPIPE),
        by_signal("end-by-alarm", SIGALRM),
        by_signal("end-by-term", SIGTERM),
        by_signal("end-by-user", SIGUSR1),
        by_signal("end-by-system-call", SIGSYS),
        by_signal("end-by-cpu-time", SIGXCPU),
        by_signal("end-by-file-size", SIGXFSZ),
        by_signal("end-by-realtime", SIGRTMIN),
        {"end-atexit", [] { atexit(launch_at_end); return 0; }},
        {"end-atexit-second", [] { atexit(launch_at_end); return launch(); }},
        {"end-on-exit", [] { on_exit(launch_on_exit, nullptr); return 0; }},
        {"end-atexit-_exit", [] { atexit(exit_quietly); return 0; }},
        // By then the program has unregistered its kernels.
        {"end-destructor", [] { launches_in_destructor = true; return 0; }, Wanted::Named},
        {"end-static-destructor", [] { launches_in_static_destructor = true; return 0; }},
        {"end-static-destructor-second", [] { launches_in_static_destructor = true; return launch(); }},
        {"end-thread-local", [] { std::thread([] { (void)&object_of_thread; launches_in_thread_local = true; launch(); }).join(); return 0; }},
        {"end-thread-local-main", [] { (void)&object_of_thread; launches_in_thread_local = true; return launch(); }},
        {"end-in-handler", [] { signal(SIGUSR1, end_in_handler); submit(); raise(SIGUSR1); return BROKEN; }},
        {"end-exit-in-handler", [] { signal(SIGUSR1, leave_in_handler); submit(); raise(SIGUSR1); return BROKEN; }},
        {"end-jump-from-handler", jumped},
        // What its threads have queued by then is named.
        {"end-detached-threads", with_detached_threads, Wanted::Named},
        {"end-by-thread", left_by_thread},
        {"end-main-leaves", main_leaves},
        {"end-thread-cancelled", cancelled},
    };
}

} // namespace
