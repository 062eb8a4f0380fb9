// Processes: every way to start one, and children that outlive their parents or are killed.
#pragma once

#include "common.h"
#include "environment.h"
#include <fstream>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>

namespace {

int by_vfork() {
    std::string path = own_path();
    Words words = again(path, "plain");
    pid_t const process = vfork();
    if (process == 0) {
        execve(path.c_str(), words.data(), empty);
        _exit(BROKEN);
    }
    return wait_for(process);
}

int start_program(void *) {
    std::string path = own_path();
    Words words = again(path, "plain");
    execve(path.c_str(), words.data(), empty);
    return BROKEN;
}

// Returning would only end this thread, and the threads of a CUDA runtime would stay.
int launch_in_clone(void *) {
    _exit(launch());
}

int by_clone(int (*body)(void *), int flags) {
    std::vector<char> stack(1 << 20);
    return wait_for(clone(body, stack.data() + stack.size(), flags | SIGCHLD, nullptr));
}

// A process that belongs to nobody, and whose end is known by a pipe.
int as_daemon(std::function<int()> const &body) {
    int ends[2];
    if (pipe(ends) != 0) {
        return BROKEN;
    }
    if (fork() == 0) {
        close(ends[0]);
        setsid();
        if (fork() == 0) {
            exit(body());
        }
        _exit(0);
    }
    close(ends[1]);
    wait(nullptr);
    char nothing;
    return read(ends[0], &nothing, 1) == 0 ? 0 : BROKEN;
}

// The parent has ended long before its child.
int outlived() {
    if (fork() == 0) {
        usleep(300000);
        exit(launch());
    }
    return 0;
}

// The child has found its race, and is killed.
int killed(int signal) {
    int ends[2];
    if (pipe(ends) != 0) {
        return BROKEN;
    }
    pid_t const process = fork();
    if (process == 0) {
        launch();
        char const done = 1;
        (void)!write(ends[1], &done, 1);
        for (;;) {
            pause();
        }
    }
    char done = 0;
    (void)!read(ends[0], &done, 1);
    kill(process, signal);
    waitpid(process, nullptr, 0);
    return done == 1 ? 0 : BROKEN;
}

int by_script(char const *first_line) {
    Folder folder;
    std::string const script = folder.path + "/script";
    std::ofstream(script) << first_line << again_in_words() << "\n";
    chmod(script.c_str(), 0755);
    pid_t const process = fork();
    if (process == 0) {
        execlp(script.c_str(), script.c_str(), nullptr);
        _exit(BROKEN);
    }
    return wait_for(process);
}

int by_python() {
    std::string const quiet = own_path();
    std::string const code = "import subprocess, sys; sys.exit(subprocess.run(['" + quiet + "', 'plain', '" +
                             (is_racy ? "racy" : "clean") + "'], env={}).returncode)";
    return by_shell("python3 -c \"" + code + "\"");
}

// System calls that no library is asked for. The child waits a little before it starts, as CUDA programs do.
int by_system_call(char **environment) {
    std::string path = own_path();
    Words words = again(path, "late");
    long const process = syscall(SYS_fork);
    if (process == 0) {
        syscall(SYS_execve, path.c_str(), words.data(), environment);
        syscall(SYS_exit_group, BROKEN);
    }
    return wait_for(static_cast<pid_t>(process));
}

// Nobody looks at how it ended.
int by_system_call_and_forgotten() {
    by_system_call(empty);
    return 0;
}

int over_itself_by_system_call() {
    std::string path = own_path();
    Words words = again(path, "late");
    syscall(SYS_execve, path.c_str(), words.data(), empty);
    return BROKEN;
}

int launch_by_system_call() {
    long const process = syscall(SYS_fork);
    if (process == 0) {
        exit(launch());
    }
    return wait_for(static_cast<pid_t>(process));
}

int at_descriptor() {
    return child([](char const *path, char **words) {
        execveat(open(path, O_RDONLY), "", words, empty, AT_EMPTY_PATH);
    });
}

int over_itself(char **environment) {
    int const first = launch();
    std::string path = own_path();
    Words words = again(path, "plain");
    if (first == 0) {
        execve(path.c_str(), words.data(), environment);
    }
    return BROKEN;
}

// A program that is there no more when somebody looks for it.
int deleted_program() {
    Folder folder;
    std::string path = folder.path + "/program";
    std::filesystem::copy_file(own_path(), path);
    pid_t const process = fork();
    if (process == 0) {
        Words words = again(path, "plain");
        int const file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        unlink(path.c_str());
        fexecve(file, words.data(), empty);
        _exit(BROKEN);
    }
    return wait_for(process);
}

Modes processes() {
    return {
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
        {"child-execveat-empty", at_descriptor},
        {"child-deleted", deleted_program},
        {"child-vfork-empty", by_vfork},
        {"child-clone-empty", [] { return by_clone(start_program, 0); }},
        {"child-clone-vm-empty", [] { return by_clone(start_program, CLONE_VM | CLONE_VFORK); }},
        {"clone-then-launch", [] { return by_clone(launch_in_clone, 0); }},
        {"fork-then-launch", [] { return forked(launch); }},
        {"fork-both-launch", [] { return forked(launch) | launch(); }},
        {"fork-fork-launch", [] { return forked([] { return forked(launch); }); }},
        // It may still run when the program ends, which is named then.
        {"daemon", [] { return as_daemon(launch); }, Wanted::Named},
        {"daemon-exec", [] { return as_daemon([] { return with_environment(empty); }); }, Wanted::Named},
        {"outlived", outlived, Wanted::Named},
        {"child-killed", [] { return killed(SIGKILL); }},
        {"child-terminated", [] { return killed(SIGTERM); }},
        {"child-segfault", [] { return killed(SIGSEGV); }},
        {"child-script", [] { return by_script("#!/bin/sh\n"); }},
        {"child-script-env", [] { return by_script("#!/usr/bin/env -S -i sh\n"); }},
        {"child-script-without-interpreter", [] { return by_script(""); }},
        {"child-python", by_python},
        {"child-setsid", [] { return by_shell("setsid -w " + again_in_words()); }},
        {"child-nohup", [] { return by_shell("nohup " + again_in_words() + " >/dev/null 2>&1"); }},
        {"child-xargs", [] { return by_shell("echo | xargs " + again_in_words()); }},
        {"child-background", [] { return by_shell(again_in_words() + " & wait $!"); }},
        {"child-shell-exec", [] { return by_shell("exec env -i " + again_in_words()); }},
        {"over-itself", [] { return over_itself(environ); }},
        {"over-itself-empty", [] { return over_itself(empty); }},
        {"raw-fork-launch", launch_by_system_call},
        {"raw-execve", [] { return by_system_call(environ); }},
        {"raw-execve-empty", [] { return by_system_call(empty); }, Wanted::Named},
        {"raw-execve-forgotten", by_system_call_and_forgotten, Wanted::Named},
        {"raw-over-itself-empty", over_itself_by_system_call, Wanted::Named},
        {"raw-daemon", [] { return as_daemon(by_system_call_and_forgotten); }, Wanted::Named},
    };
}

} // namespace
