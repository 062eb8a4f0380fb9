// Users, roots, namespaces and what a process is allowed to do.
#pragma once

#include "common.h"
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

namespace {

bool become_nobody() {
    return setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
}

bool hide_temporary_folder() {
    return unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("none", "/tmp", "tmpfs", 0, "size=64m") == 0;
}

// The children of a process with new numbers see themselves as the first.
int with_new_numbers(std::function<int()> const &body) {
    return unshare(CLONE_NEWPID) == 0 ? body() : UNABLE;
}

int apart(int what) {
    return unshare(what) == 0 ? launch() : UNABLE;
}

int exec_again() {
    return child([](char const *path, char **words) { execv(path, words); });
}

Modes rights() {
    return {
        {"umask", [] { umask(0777); return launch(); }},
        {"child-umask", [] { umask(0777); return exec_again(); }},
        {"chroot", [] { return chroot("/proc") == 0 && chdir("/") == 0 ? launch() : UNABLE; }},
        {"chroot-after", [] { int const first = launch(); return chroot("/proc") == 0 ? first | launch() : UNABLE; }},
        {"fork-chroot", [] { return forked([] { return chroot("/proc") == 0 ? launch() : UNABLE; }); }},
        {"nobody", [] { return become_nobody() ? launch() : UNABLE; }},
        {"nobody-after", [] { int const first = launch(); return become_nobody() ? first | launch() : UNABLE; }},
        {"other-group", [] { return setgid(65534) == 0 ? launch() : UNABLE; }},
        {"no-groups", [] { return setgroups(0, nullptr) == 0 ? launch() : UNABLE; }},
        {"effective-user", [] { return seteuid(65534) == 0 ? launch() : UNABLE; }},
        {"other-folder", [] { return chdir("/") == 0 ? launch() : UNABLE; }},
        {"child-nobody",
         [] { return child([](char const *path, char **words) { if (become_nobody()) { execv(path, words); } _exit(UNABLE); }); }, Wanted::Named},
        {"child-nobody-empty",
         [] { return child([](char const *path, char **words) { if (become_nobody()) { execve(path, words, empty); } _exit(UNABLE); }); },
         Wanted::Named},
        {"not-dumpable", [] { return prctl(PR_SET_DUMPABLE, 0) == 0 ? launch() : UNABLE; }},
        {"no-new-privileges", [] { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? launch() | exec_again() : UNABLE; }},
        {"users-apart", [] { return apart(CLONE_NEWUSER); }},
        {"mounts-apart", [] { return apart(CLONE_NEWNS); }},
        {"network-apart", [] { return apart(CLONE_NEWNET); }},
        {"messages-apart", [] { return apart(CLONE_NEWIPC | CLONE_NEWUTS); }},
        {"numbers-apart-fork", [] { return with_new_numbers([] { return forked(launch); }); }},
        {"numbers-apart-child", [] { return with_new_numbers(exec_again); }},
        {"users-apart-child", [] { return unshare(CLONE_NEWUSER) == 0 ? exec_again() : UNABLE; }, Wanted::Named},
        {"hidden-temporary-folder", [] { return hide_temporary_folder() ? launch() : UNABLE; }},
        {"hidden-temporary-folder-fork", [] { return hide_temporary_folder() ? forked(launch) : UNABLE; }},
        {"hidden-temporary-folder-shell", [] { return hide_temporary_folder() ? (system("true"), launch()) : UNABLE; }, Wanted::Named},
        {"small-pages", [] { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0 ? launch() : UNABLE; }},
        {"dies-with-its-parent", [] { return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 ? launch() : UNABLE; }},
        {"not-adopted", [] { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? forked(launch) : UNABLE; }},
    };
}

} // namespace
