// Kernels in libraries that are loaded while the program runs, and addresses that are taken.
#pragma once

#include "common.h"
#include <dlfcn.h>
#include <sys/mman.h>

namespace {

using Entry = int (*)(int);

int launch_of(void *loaded) {
    auto const entry = loaded == nullptr ? nullptr : reinterpret_cast<Entry>(dlsym(loaded, "launch_in_library"));
    return entry == nullptr ? BROKEN : entry(is_racy);
}

int opened(int flags) {
    return launch_of(dlopen(library, flags));
}

int opened_apart() {
    return launch_of(dlmopen(LM_ID_NEWLM, library, RTLD_NOW | RTLD_LOCAL));
}

// It did its work, is gone, and the program goes on.
int opened_and_closed() {
    void *const loaded = dlopen(library, RTLD_NOW);
    int const first = launch_of(loaded);
    return dlclose(loaded) == 0 ? first | launch() : BROKEN;
}

int opened_often() {
    int failed = 0;
    for (int count = 0; count < 10; count++) {
        void *const loaded = dlopen(library, RTLD_NOW);
        failed |= launch_of(loaded);
        dlclose(loaded);
    }
    return failed;
}

// Where device memory lies, which a child has found out.
void *address_of_device_memory(bool is_managed) {
    int ends[2];
    void *address = nullptr;
    if (pipe(ends) != 0) {
        return nullptr;
    }
    pid_t const process = fork();
    if (process == 0) {
        int *numbers = nullptr;
        is_managed ? cudaMallocManaged(&numbers, 4096) : cudaMalloc(&numbers, 4096);
        (void)!write(ends[1], &numbers, sizeof numbers);
        _exit(0);
    }
    close(ends[1]);
    (void)!read(ends[0], &address, sizeof address);
    close(ends[0]);
    waitpid(process, nullptr, 0);
    return address;
}

bool take_addresses(bool is_managed) {
    void *const address = address_of_device_memory(is_managed);
    void *const wanted = reinterpret_cast<void *>(reinterpret_cast<size_t>(address) & ~size_t{4095});
    return address != nullptr &&
           mmap(wanted, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
}

int launch_managed() {
    int *numbers = nullptr;
    if (cudaMallocManaged(&numbers, sizeof(int) * THREADS) != cudaSuccess) {
        return BROKEN;
    }
    if (is_racy) {
        exchange_without_barrier<<<1, THREADS>>>(numbers);
    } else {
        exchange<<<1, THREADS>>>(numbers);
    }
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : BROKEN;
}

Modes loaders() {
    return {
        {"library", [] { return opened(RTLD_NOW); }},
        {"library-lazy", [] { return opened(RTLD_LAZY | RTLD_LOCAL); }},
        {"library-global", [] { return opened(RTLD_NOW | RTLD_GLOBAL); }},
        {"library-deep", [] { return opened(RTLD_NOW | RTLD_DEEPBIND); }},
        {"library-nodelete", [] { return opened(RTLD_NOW | RTLD_NODELETE); }},
        {"library-apart", opened_apart, Wanted::Named},
        {"library-closed", opened_and_closed},
        {"library-often", opened_often},
        {"library-cleared", [] { clearenv(); return opened(RTLD_NOW); }},
        {"library-after", [] { return launch() | opened(RTLD_NOW); }},
        {"library-fork", [] { return forked([] { return opened(RTLD_NOW); }); }},
        {"addresses-taken", [] { return take_addresses(false) ? launch() : UNABLE; }, Wanted::Named},
        {"managed-addresses-taken", [] { return take_addresses(true) ? launch_managed() : UNABLE; }, Wanted::Named},
    };
}

} // namespace
