// Asks the driver in the ways in which programs do, and prints who answers.
//
//     uses_driver LIBRARY WHAT…      WHAT: float, absent, launch, address, start, fork, quick

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int launch_kernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                          void **, void **);

static void *library;

static void *find(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        printf("%s is missing\n", name);
        exit(1);
    }
    return found;
}

// The file that a function is in.
static const char *home(void *function) {
    Dl_info info;
    if (!function || !dladdr(function, &info)) return "nowhere";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static int launch(void *function, unsigned blocks) {
    void *parameters[1];
    parameters[0] = parameters;
    launch_kernel *kernel = (launch_kernel *)find("cuLaunchKernel");
    return kernel(function, blocks, 2, 3, 4, 5, 6, 7, (void *)8, parameters, NULL);
}

static int launch_with_config(void *function) {
    struct { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; } config = {
        {1, 2, 3}, {4, 5, 6}, 7, (void *)8, NULL, 0};
    void *parameters[1];
    parameters[0] = parameters;
    int (*call)(void *, void *, void **, void **) = find("cuLaunchKernelEx");
    return call(&config, function, parameters, NULL);
}

static void addresses(void) {
    int (*ask)(const char *, void **, int, unsigned long long, int *) = find("cuGetProcAddress_v2");
    static const char *names[] = {"cuLaunchKernel", "cuMemAlloc", "cuDriverGetVersion", "cuGetProcAddress"};
    void *function = NULL, *other = NULL;
    for (int i = 0; i < 4; i++) {
        int status = -1, answer = ask(names[i], &function, 13000, 0, &status);
        printf("%s: %d %d in %s\n", names[i], answer, status, home(function));
    }
    ask("cuLaunchKernel", &function, 13000, 0, NULL);
    ask("cuLaunchKernel", &other, 13000, 2, NULL);
    printf("variants are %s\n", function == other ? "the same" : "two");
    int status = -1, answer = ask("cuFlyToTheMoon", &function, 13000, 0, &status);
    printf("cuFlyToTheMoon: %d %d in %s\n", answer, status, home(function));
}

int main(int count, char **words) {
    if (count < 2 || !(library = dlopen(words[1], RTLD_NOW))) {
        printf("%s\n", dlerror());
        return 1;
    }
    for (int i = 2; i < count; i++) {
        const char *what = words[i];
        if (!strcmp(what, "float")) {
            int (*call)(void *, float) = find("cuTexRefSetMipmapLevelBias");
            printf("float: %d\n", call((void *)3, 12.5f));
        } else if (!strcmp(what, "absent")) {
            int (*call)(void *) = find("cuSurfRefGetArray");
            printf("absent: %d\n", call(NULL));
        } else if (!strcmp(what, "launch")) {
            printf("launch: %d %d %d %d\n", launch((void *)7, 1), launch_with_config((void *)8),
                   launch((void *)9, 1), launch((void *)7, 99));
        } else if (!strcmp(what, "address")) {
            addresses();
        } else if (!strcmp(what, "start")) {
            int (*call)(unsigned) = find("cuInit");
            printf("start: %d %d\n", call(0), call(1));
        } else if (!strcmp(what, "fork")) {
            fflush(stdout);
            pid_t child = fork();
            if (child == 0) exit(launch((void *)7, 1));
            int status = -1;
            waitpid(child, &status, 0);
            printf("child: %d\n", status);
        } else if (!strcmp(what, "quick")) {
            fflush(stdout);
            _exit(0);
        }
    }
    return 0;
}
