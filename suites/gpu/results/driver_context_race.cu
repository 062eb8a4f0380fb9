// A race in the second of two contexts, which is destroyed before the program ends, and none in the first, whose kernel
// has another name and does the same with atomics.
// flags: -lcuda
// racy-kernels: count_plainly
#include "driver.h"

static const char* const COUNTING_PTX = R"(
.version 7.8
.target sm_80
.address_size 64

.visible .entry count_plainly(.param .u64 counter, .param .u64 flags)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [counter];
    ld.param.u64 %rd2, [flags];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.u64 %rd3, %rd2, %rd3;
    st.global.u32 [%rd3], 1;
    ret;
}

.visible .entry count_atomically(.param .u64 counter, .param .u64 flags)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [counter];
    ld.param.u64 %rd2, [flags];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    red.global.add.u32 [%rd1], 1;
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.u64 %rd3, %rd2, %rd3;
    st.global.u32 [%rd3], 1;
    ret;
}
)";

static const uint32_t BLOCKS = 64;

static uint32_t flags_of(CUcontext context, const char* kernel) {
    DRIVER(cuCtxPushCurrent(context));
    CUmodule module;
    CUfunction function;
    DRIVER(cuModuleLoadData(&module, COUNTING_PTX));
    DRIVER(cuModuleGetFunction(&function, module, kernel));
    uint32_t total = 0;
    {
        Numbers counter(std::vector<uint32_t>(1, 0)), flags(std::vector<uint32_t>(BLOCKS, 0));
        for (int round = 0; round < 3; round++) {
            void* arguments[] = {&counter.address, &flags.address};
            DRIVER(cuLaunchKernel(function, BLOCKS, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
        }
        DRIVER(cuCtxSynchronize());
        for (uint32_t flag : flags.all()) {
            total += flag;
        }
    }
    DRIVER(cuCtxPopCurrent(nullptr));
    return total;
}

int main() {
    CUdevice device;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    CUcontext first = create_context(device);
    CUcontext second = create_context(device);
    expect("atomic", flags_of(first, "count_atomically"), BLOCKS);
    expect("plain", flags_of(second, "count_plainly"), BLOCKS);
    expect("atomic again", flags_of(first, "count_atomically"), BLOCKS);
    DRIVER(cuCtxDestroy(second));
    expect("alone", flags_of(first, "count_atomically"), BLOCKS);
    DRIVER(cuCtxDestroy(first));
    return finish();
}
