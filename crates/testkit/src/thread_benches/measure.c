// Linked into each bench, without a sanitizer: how long the program itself took and the most memory it had, in the file that
// the environment names. What a runtime does before the first constructor and after the last destructor is not counted.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct timespec begun;

__attribute__((constructor)) static void begin(void) {
    clock_gettime(CLOCK_MONOTONIC, &begun);
}

// What the system says of the process: the line `VmHWM` has its peak, which begins anew with each program that a process becomes.
static long peak_kilobytes(void) {
    static char status[8192];
    int file = open("/proc/self/status", O_RDONLY);
    ssize_t bytes = file < 0 ? -1 : read(file, status, sizeof status - 1);
    if (file >= 0) {
        close(file);
    }
    if (bytes <= 0) {
        return -1;
    }
    status[bytes] = '\0';
    const char *line = strstr(status, "VmHWM:");
    return line == NULL ? -1 : atol(line + strlen("VmHWM:"));
}

__attribute__((destructor)) static void end(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const char *name = getenv("WARPSAN_BENCH_MEASURED");
    int file = name == NULL ? -1 : open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) {
        return;
    }
    double seconds = (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) * 1e-9;
    char text[80];
    int length = snprintf(text, sizeof text, "seconds %.9f\nkilobytes %ld\n", seconds, peak_kilobytes());
    if (write(file, text, length) != length) {
        _exit(2);
    }
    close(file);
}
