// Descriptors: closed, replaced, used up and forbidden.
#pragma once

#include "common.h"
#include <atomic>
#include <thread>

namespace {

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

void close_standard() {
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        close(descriptor);
    }
}

// None is left.
void use_all_up() {
    limit(RLIMIT_NOFILE, 64);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
}

void in_thread(void (*deed)()) {
    std::thread(deed).join();
}

// Somebody closes everything, again and again, while work is asked for.
int closed_meanwhile() {
    std::atomic<bool> is_over = false;
    std::thread closer([&] {
        while (!is_over) {
            close_all();
        }
    });
    int failed = 0;
    for (int count = 0; count < 20; count++) {
        failed |= launch();
    }
    is_over = true;
    closer.join();
    return failed;
}

void close_range_of_system(unsigned flags) {
    syscall(SYS_close_range, 3U, ~0U, flags);
}

Modes descriptors() {
    constexpr unsigned ON_EXEC = 4;
    return {
        {"close-before", [] { close_all(); return launch(); }},
        {"close-after", [] { return between(close_all); }},
        {"close-then-open", [] { return between(close_and_open); }},
        {"replace-before", [] { replace_all(); return launch(); }},
        {"replace-after", [] { return between(replace_all); }},
        {"close-then-divided", [] { int const first = launch(); close_and_open(); return first | divided() | launch(); }},
        {"replace-then-divided", [] { int const first = launch(); replace_all(); return first | divided() | launch(); }},
        {"close-range", [] { return between([] { close_range_of_system(0); }); }},
        {"close-range-before", [] { close_range_of_system(0); return launch(); }},
        {"close-range-on-exec", [] { close_range_of_system(ON_EXEC); return launch() | child([](char const *path, char **words) { execv(path, words); }); }},
        {"closefrom", [] { return between([] { closefrom(3); }); }},
        {"closefrom-before", [] { closefrom(3); return launch(); }},
        {"close-standard", [] { close_standard(); return launch(); }},
        {"close-standard-after", [] { return between(close_standard); }},
        {"closefrom-0", [] { return between([] { closefrom(0); }); }},
        {"close-in-thread", [] { return between([] { in_thread(close_all); }); }},
        {"replace-in-thread", [] { return between([] { in_thread(replace_all); }); }},
        {"close-meanwhile", closed_meanwhile},
        {"descriptors-0", [] { return limit(RLIMIT_NOFILE, 0) ? launch() : UNABLE; }, Wanted::Named},
        {"descriptors-3", [] { return limit(RLIMIT_NOFILE, 3) ? launch() : UNABLE; }, Wanted::Named},
        {"descriptors-0-after", [] { return between([] { limit(RLIMIT_NOFILE, 0); }); }},
        {"descriptors-used-up", [] { use_all_up(); return launch(); }, Wanted::Named},
        {"descriptors-used-up-after", [] { return between(use_all_up); }},
        {"fork-close-launch", [] { return forked([] { close_all(); return launch(); }); }},
        {"fork-replace-launch", [] { return forked([] { replace_all(); return launch(); }); }},
        {"child-few-descriptors",
         [] { return child([](char const *path, char **words) { limit(RLIMIT_NOFILE, 3); execv(path, words); }); }, Wanted::Named},
        {"child-no-descriptors",
         [] { return child([](char const *path, char **words) { limit(RLIMIT_NOFILE, 0); execv(path, words); }); }, Wanted::Named},
        {"child-closed",
         [] { return child([](char const *path, char **words) { closefrom(0); execv(path, words); }); }},
    };
}

} // namespace
