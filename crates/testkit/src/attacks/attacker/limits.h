// Limits that a program sets itself.
#pragma once

#include "common.h"
#include "rights.h"
#include <thread>

namespace {

// So much more address space than there is already.
bool limit_addresses(rlim_t more) {
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;
    bool const ok = file != nullptr && fscanf(file, "%ld", &pages) == 1;
    return ok && limit(RLIMIT_AS, static_cast<rlim_t>(pages) * sysconf(_SC_PAGESIZE) + more);
}

void nothing(int) {
}

int as_child(decltype(RLIMIT_FSIZE) what, rlim_t to) {
    return child([=](char const *path, char **words) { limit(what, to); execv(path, words); });
}

Modes limits() {
    constexpr rlim_t MIB = 1 << 20;
    return {
        // Device memory would be a long file.
        {"file-size", [] { return limit(RLIMIT_FSIZE, 0) ? launch() : UNABLE; }},
        {"file-size-ignored", [] { signal(SIGXFSZ, SIG_IGN); return limit(RLIMIT_FSIZE, 0) ? launch() : UNABLE; }},
        {"file-size-handled", [] { signal(SIGXFSZ, nothing); return limit(RLIMIT_FSIZE, 0) ? launch() : UNABLE; }},
        {"file-size-divided", [] { return limit(RLIMIT_FSIZE, 0) ? divided() | launch() : UNABLE; }},
        {"file-size-after", [] { int const first = launch(); return limit(RLIMIT_FSIZE, 0) ? first | launch() : UNABLE; }},
        {"child-file-size", [] { return as_child(RLIMIT_FSIZE, 0); }},
        {"addresses-before", [] { return limit_addresses(0) ? launch() : UNABLE; }, Wanted::Named},
        {"addresses-few", [] { return limit_addresses(64 * MIB) ? launch() : UNABLE; }, Wanted::Named},
        {"addresses-after", [] { int const first = launch(); return limit_addresses(16 * MIB) ? first | launch() : UNABLE; }, Wanted::Named},
        {"child-addresses", [] { return as_child(RLIMIT_AS, 1 << 30); }, Wanted::Named},
        {"data-after", [] { return between([] { limit(RLIMIT_DATA, 0); }); }, Wanted::Named},
        {"locked-memory", [] { return limit(RLIMIT_MEMLOCK, 0) ? launch() : UNABLE; }},
        {"core", [] { return limit(RLIMIT_CORE, 0) ? launch() : UNABLE; }},
        {"stack", [] { return limit(RLIMIT_STACK, 256 << 10) ? launch() : UNABLE; }},
        {"child-stack", [] { return as_child(RLIMIT_STACK, 256 << 10); }},
        {"cpu-time", [] { signal(SIGXCPU, SIG_IGN); rlimit const seconds{1, 60}; setrlimit(RLIMIT_CPU, &seconds); return launch(); }},
        {"processes", [] { return become_nobody() && limit(RLIMIT_NPROC, 0) ? launch() : UNABLE; }, Wanted::Named},
        {"processes-divided", [] { return become_nobody() && limit(RLIMIT_NPROC, 0) ? launch() | divided() : UNABLE; }, Wanted::Named},
        {"priorities", [] { return limit(RLIMIT_NICE, 0) && limit(RLIMIT_RTPRIO, 0) ? launch() : UNABLE; }},
        {"pending-signals", [] { return limit(RLIMIT_SIGPENDING, 0) ? launch() : UNABLE; }},
    };
}

} // namespace
