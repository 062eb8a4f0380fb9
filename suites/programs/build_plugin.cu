// A kernel in a shared object that is opened with dlopen, closed, and opened again.
// verdict: clean
// plugin: parts/build_plugin_part.cu
#include "check.h"
#include <dlfcn.h>
#include <string>
#include <unistd.h>

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

static std::string beside_the_program(const char* name) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    std::string program(path, length > 0 ? length : 0);
    return program.substr(0, program.rfind('/') + 1) + name;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, 64 * sizeof(int)));
    fill<<<1, 64>>>(data);
    CHECK(cudaGetLastError());
    for (int round = 0; round < 2; round++) {
        void* plugin = dlopen(beside_the_program("build_plugin_part.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        if (plugin == nullptr) {
            std::fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        auto triple = reinterpret_cast<int (*)(int*, int)>(dlsym(plugin, "triple"));
        std::printf("the plug-in says %d\n", triple(data, 64));
        dlclose(plugin);
    }
    int last = 0;
    CHECK(cudaMemcpy(&last, data + 63, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("last number %d\n", last);
    CHECK(cudaFree(data));
    return 0;
}
