// A process starts itself again before it uses the device, and once more afterwards; all three run a kernel.
// flags: -lcuda
#include "driver.h"
#include <sys/wait.h>
#include <unistd.h>

static void run(const char* name, uint32_t factor) {
    CUcontext context = start_driver();
    CUmodule module;
    CUfunction scale;
    DRIVER(cuModuleLoadData(&module, SCALE_PTX));
    DRIVER(cuModuleGetFunction(&scale, module, "scale"));
    std::vector<uint32_t> values = numbers<uint32_t>(5000, factor, 1000);
    {
        Numbers data(values);
        launch_scale(scale, data, 5000, factor);
        expect(name, data.all(), scaled(values, factor, 5));
    }
    DRIVER(cuModuleUnload(module));
    DRIVER(cuCtxDestroy(context));
    std::fflush(stdout);
}

static int start_again(char* program, const char* name) {
    pid_t child = fork();
    if (child == 0) {
        char* const arguments[] = {program, const_cast<char*>(name), nullptr};
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char** argv) {
    if (argc > 1) {
        run(argv[1], static_cast<uint32_t>(std::strlen(argv[1])));
        return finish();
    }
    int before = start_again(argv[0], "child_before");
    run("parent", 11);
    int after = start_again(argv[0], "child_after_parent");
    expect("exit_codes", std::vector<int>{before, after}, std::vector<int>{0, 0});
    return finish();
}
