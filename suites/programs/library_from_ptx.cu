// PTX in a string is loaded as a library; its kernels are launched by handle and its variable is set.
// verdict: clean
#include "check.h"
#include <cstring>

static const char* const PTX = R"(
.version 7.8
.target sm_80
.address_size 64

.visible .global .align 4 .u32 offset = 5;

.visible .entry add_offset(.param .u64 data, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [count];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r5, %r3, %r4, %r2;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd2, %r5, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r6, [%rd3];
    ld.global.u32 %r7, [offset];
    add.u32 %r6, %r6, %r7;
    st.global.u32 [%rd3], %r6;
DONE:
    ret;
}

.visible .entry nothing()
{
    ret;
}
)";

int main() {
    cudaLibrary_t library;
    CHECK(cudaLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unsigned count = 0;
    CHECK(cudaLibraryGetKernelCount(&count, library));
    cudaKernel_t kernels[2];
    CHECK(cudaLibraryEnumerateKernels(kernels, 2, library));
    std::printf("kernels: %u\n", count);
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, "add_offset"));
    std::printf("is one of them: %s\n", kernel == kernels[0] || kernel == kernels[1] ? "yes" : "no");
    cudaKernel_t missing;
    std::printf("no such kernel: %s\n", cudaGetErrorName(cudaLibraryGetKernel(&missing, library, "subtract_offset")));
    (void)cudaGetLastError();
    const char* name = nullptr;
    CHECK(cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel)));
    std::printf("name: %s\n", name);

    int* data;
    CHECK(cudaMalloc(&data, 100 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 100 * sizeof(int)));
    int length = 100;
    void* arguments[] = {&data, &length};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(4), dim3(32), arguments, 0, nullptr));
    int* offset;
    size_t bytes = 0;
    CHECK(cudaLibraryGetGlobal(reinterpret_cast<void**>(&offset), &bytes, library, "offset"));
    int more = 100;
    CHECK(cudaMemcpy(offset, &more, sizeof more, cudaMemcpyHostToDevice));
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(4), dim3(32), arguments, 0, nullptr));
    int last = 0;
    CHECK(cudaMemcpy(&last, data + 99, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("bytes %zu, last number %d\n", bytes, last);
    CHECK(cudaLibraryUnload(library));

    cudaError_t bad = cudaLibraryLoadData(&library, "this is no PTX", nullptr, nullptr, 0, nullptr, nullptr, 0);
    std::printf("no PTX: %s\n", bad == cudaSuccess ? "loaded" : "refused");
    (void)cudaGetLastError();
    CHECK(cudaFree(data));
    return 0;
}
