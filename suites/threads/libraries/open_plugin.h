// Opens a library that lies beside the program.

#pragma once

#include <dlfcn.h>
#include <unistd.h>

static inline void *open_plugin(const char *name) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 100);
    CHECK(length > 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(plugin != NULL);
    return plugin;
}
