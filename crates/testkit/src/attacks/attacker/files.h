// Files of the run: deleted, replaced, cut off, written over; and a disk that is full.
#pragma once

#include "common.h"
#include <sys/mount.h>
#include <sched.h>

namespace {

std::filesystem::path of_run(char const *variable) {
    char const *found = getenv(variable);
    return found == nullptr ? std::filesystem::path() : std::filesystem::path(found);
}

std::filesystem::path run_folder() {
    return of_run("WARPSAN_REPORT_DIR").parent_path();
}

void delete_files() {
    std::error_code ignored;
    std::filesystem::remove_all(run_folder(), ignored);
}

// The folder of the run goes, and something else has its name.
void replace_folder() {
    std::filesystem::path const folder = run_folder();
    delete_files();
    if (FILE *file = fopen(folder.c_str(), "w")) {
        fputs("nothing of the kind", file);
        fclose(file);
    }
}

void cut_log(off_t length) {
    (void)!truncate(of_run("WARPSAN_LOG").c_str(), length);
}

// Bytes of the log that are not the program's.
void write_over_log(long start, size_t bytes) {
    if (FILE *file = fopen(of_run("WARPSAN_LOG").c_str(), "r+")) {
        std::string const nonsense(bytes, '\x7e');
        fseek(file, start, SEEK_SET);
        fwrite(nonsense.data(), 1, nonsense.size(), file);
        fclose(file);
    }
}

void delete_libraries() {
    std::error_code ignored;
    std::filesystem::remove_all(of_run("WARPSAN_LIBRARY_DIR"), ignored);
}

// Nobody but this process sees the new disk, which has no room.
bool fill_temporary_folder() {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", "/tmp", "tmpfs", 0, "size=4096") != 0) {
        return false;
    }
    if (FILE *file = fopen(P_tmpdir "/full", "w")) {
        std::string const much(1 << 16, 'x');
        fwrite(much.data(), 1, much.size(), file);
        fclose(file);
    }
    return true;
}

int by_exec() {
    return child([](char const *path, char **words) { execv(path, words); });
}

Modes files() {
    return {
        {"delete-before", [] { delete_files(); return launch(); }},
        {"delete-after", [] { return between(delete_files); }},
        {"replace-folder-before", [] { replace_folder(); return launch(); }},
        {"replace-folder-after", [] { return between(replace_folder); }},
        {"delete-then-child", [] { delete_files(); return by_exec(); }, Wanted::Named},
        {"delete-log-then-child", [] { std::filesystem::remove(of_run("WARPSAN_LOG")); return by_exec(); }, Wanted::Named},
        {"cut-log-before", [] { cut_log(0); return launch(); }, Wanted::Named},
        {"cut-log-after", [] { return between([] { cut_log(0); }); }, Wanted::Named},
        {"cut-log-to-a-page", [] { return between([] { cut_log(4096); }); }, Wanted::Named},
        {"write-over-log", [] { return between([] { write_over_log(0, 8192); }); }, Wanted::Named},
        {"write-over-chunk", [] { return between([] { write_over_log(4096, 16); }); }, Wanted::Named},
        {"cache-removed", [] { return between(delete_libraries); }},
        {"cache-removed-before", [] { delete_libraries(); return launch(); }},
        {"cache-removed-then-child", [] { delete_libraries(); return by_exec(); }, Wanted::Named},
        {"full-disk", [] { return fill_temporary_folder() ? launch() : UNABLE; }},
        {"full-disk-after", [] { int const first = launch(); return fill_temporary_folder() ? first | launch() : UNABLE; }},
        {"full-disk-fork", [] { return fill_temporary_folder() ? forked(launch) : UNABLE; }},
    };
}

} // namespace
