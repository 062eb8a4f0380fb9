// The environment: cleared, replaced, and that of children.
#pragma once

#include "common.h"
#include <spawn.h>

namespace {

char *nonsense[] = {const_cast<char *>("without-a-sign"), const_cast<char *>("="), const_cast<char *>("=LD_PRELOAD"),
                    const_cast<char *>("LD_PRELOAD="), nullptr};
char *other_preload[] = {const_cast<char *>("LD_PRELOAD=/does/not/exist.so"), const_cast<char *>("LD_AUDIT=/nor/this.so"), nullptr};
char *bind_now[] = {const_cast<char *>("LD_BIND_NOW=1"), nullptr};

void spoil_variables() {
    for (char const *name : {"WARPSAN_LOG", "WARPSAN_OPTIONS", "WARPSAN_REPORT_DIR", "WARPSAN_LIBRARY_DIR", "WARPSAN_START"}) {
        setenv(name, "/nonsense", 1);
    }
}

int spawned(char **environment, bool by_name = false) {
    std::string path = own_path();
    Words words = again(path, "plain");
    pid_t process = 0;
    auto const spawn = by_name ? posix_spawnp : posix_spawn;
    if (spawn(&process, path.c_str(), nullptr, nullptr, words.data(), environment) != 0) {
        return BROKEN;
    }
    return wait_for(process);
}

int by_pipe() {
    FILE *pipe = popen(again_in_words().c_str(), "r");
    if (pipe == nullptr) {
        return BROKEN;
    }
    int const status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
}

int with_environment(char **environment) {
    return child([=](char const *path, char **words) { execve(path, words, environment); });
}

Modes environments() {
    return {
        {"clear-environment", [] { clearenv(); return launch(); }},
        {"clear-environment-after", [] { return between(clearenv); }},
        {"no-environment", [] { environ = nullptr; return launch(); }},
        {"spoil-variables", [] { spoil_variables(); return launch(); }},
        {"putenv-preload", [] { putenv(const_cast<char *>("LD_PRELOAD=")); return by_shell(again_in_words()); }},
        {"setenv-preload", [] { setenv("LD_PRELOAD", "/does/not/exist.so", 1); return by_shell(again_in_words()); }},
        {"child-execve", [] { return with_environment(environ); }},
        {"child-execve-empty", [] { return with_environment(empty); }},
        {"child-execve-null", [] { return with_environment(nullptr); }},
        {"child-execve-nonsense", [] { return with_environment(nonsense); }},
        {"child-execve-other-preload", [] { return with_environment(other_preload); }},
        {"child-execve-bind-now", [] { return with_environment(bind_now); }},
        {"child-spoiled", [] { return child([](char const *path, char **words) { spoil_variables(); execv(path, words); }); }},
        {"child-cleared", [] { return child([](char const *path, char **words) { clearenv(); execv(path, words); }); }},
        {"child-without-preload",
         [] { return child([](char const *path, char **words) { unsetenv("LD_PRELOAD"); unsetenv("LD_AUDIT"); execv(path, words); }); }},
        {"child-spawned", [] { return spawned(environ); }},
        {"child-spawned-empty", [] { return spawned(empty); }},
        {"child-spawned-null", [] { return spawned(nullptr); }},
        {"child-spawnedp-empty", [] { return spawned(empty, true); }},
        {"child-shell", [] { return by_shell(again_in_words()); }},
        {"child-shell-cleared", [] { clearenv(); return by_shell(again_in_words()); }},
        {"child-shell-env-i", [] { return by_shell("env -i " + again_in_words()); }},
        {"child-pipe", by_pipe},
        {"child-pipe-cleared", [] { clearenv(); return by_pipe(); }},
    };
}

} // namespace
