// Two libraries with a variable and a kernel of the same names, loaded at the same time; a file is loaded, too.
// verdict: clean
#include "check.h"
#include <cstdlib>
#include <string>
#include <unistd.h>

static std::string make_ptx(int start) {
    return ".version 7.8\n.target sm_80\n.address_size 64\n"
           ".visible .global .align 4 .u32 state = " + std::to_string(start) + ";\n"
           ".visible .entry step(.param .u64 out)\n{\n"
           "    .reg .b32 %r<3>;\n    .reg .b64 %rd<2>;\n"
           "    ld.param.u64 %rd1, [out];\n    cvta.to.global.u64 %rd1, %rd1;\n"
           "    ld.global.u32 %r1, [state];\n    add.u32 %r2, %r1, 1;\n"
           "    st.global.u32 [state], %r2;\n    st.global.u32 [%rd1], %r2;\n    ret;\n}\n";
}

static int step(cudaLibrary_t library, int* out) {
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, "step"));
    void* arguments[] = {&out};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, nullptr));
    int value = 0;
    CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main() {
    int* out;
    CHECK(cudaMalloc(&out, sizeof(int)));
    cudaLibrary_t one, other, from_file;
    CHECK(cudaLibraryLoadData(&one, make_ptx(10).c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryLoadData(&other, make_ptx(20).c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    char path[] = "library_two_at_once_XXXXXX";
    int file = mkstemp(path);
    std::string text = make_ptx(30);
    if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        return 1;
    }
    close(file);
    CHECK(cudaLibraryLoadFromFile(&from_file, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unlink(path);
    std::printf("%d %d %d\n", step(one, out), step(other, out), step(from_file, out));
    std::printf("%d %d %d\n", step(one, out), step(other, out), step(from_file, out));
    CHECK(cudaLibraryUnload(other));
    std::printf("%d\n", step(one, out));
    CHECK(cudaLibraryUnload(from_file));
    CHECK(cudaLibraryUnload(one));
    CHECK(cudaFree(out));
    return 0;
}
