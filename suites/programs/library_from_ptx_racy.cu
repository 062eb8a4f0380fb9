// PTX in a string, whose own line table says where it stands in this file: a block reverses numbers without a barrier.
// verdict: race
#include "check.h"

static const char* const PTX = R"(
.version 7.8
.target sm_80
.address_size 64

.visible .entry reverse(.param .u64 data)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 cells[512];
    ld.param.u64 %rd1, [data];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, cells;
    add.u32 %r4, %r3, %r2;
    .loc 1 24 0
    st.shared.u32 [%r4], %r1;
    sub.u32 %r2, 508, %r2;
    add.u32 %r4, %r3, %r2;
    .loc 1 28 0
    ld.shared.u32 %r5, [%r4];  //~ race: missing-sync error (with line 24)
    st.global.u32 [%rd3], %r5;
    ret;
}
.file 1 "library_from_ptx_racy.cu"
)";

int main() {
    cudaLibrary_t library;
    CHECK(cudaLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, "reverse"));
    int* data;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    void* arguments[] = {&data};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(128), arguments, 0, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::printf("launched a kernel of a library\n");
    CHECK(cudaFree(data));
    CHECK(cudaLibraryUnload(library));
    return 0;
}
