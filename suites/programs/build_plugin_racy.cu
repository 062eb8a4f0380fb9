// The main program is fine; the kernel of its plug-in is not.
// verdict: race
// plugin: parts/build_plugin_racy_part.cu
#include "check.h"
#include <dlfcn.h>
#include <string>
#include <unistd.h>

static std::string beside_the_program(const char* name) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    std::string program(path, length > 0 ? length : 0);
    return program.substr(0, program.rfind('/') + 1) + name;
}

int main() {
    void* plugin = dlopen(beside_the_program("build_plugin_racy_part.so").c_str(), RTLD_NOW);
    if (plugin == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    auto reverse = reinterpret_cast<int (*)(int*)>(dlsym(plugin, "reverse"));
    int* data;
    CHECK(cudaMalloc(&data, 256 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 256 * sizeof(int)));
    std::printf("the plug-in says %d\n", reverse(data));
    CHECK(cudaFree(data));
    return 0;
}
