// The driver links two units of PTX text; the kernel of one calls the function of the other.
// flags: -lcuda
#include "driver.h"

static const char* const KERNEL_UNIT = R"(
.version 7.8
.target sm_80
.address_size 64

.extern .func (.param .b32 result) mix(.param .b32 value);
.extern .global .align 4 .u32 calls;

.visible .entry mix_all(.param .u64 data, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [count];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %ntid.x;
    mad.lo.u32 %r6, %r4, %r5, %r3;
    setp.ge.u32 %p1, %r6, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd2, %r6, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r7, [%rd3];
    {
        .param .b32 argument;
        .param .b32 answer;
        st.param.b32 [argument], %r7;
        call.uni (answer), mix, (argument);
        ld.param.b32 %r8, [answer];
    }
    st.global.u32 [%rd3], %r8;
    red.global.add.u32 [calls], 1;
DONE:
    ret;
}
)";

static const char* const FUNCTION_UNIT = R"(
.version 7.8
.target sm_80
.address_size 64

.visible .global .align 4 .u32 calls;

.visible .func (.param .b32 result) mix(.param .b32 value)
{
    .reg .b32 %r<5>;
    ld.param.b32 %r1, [value];
    shr.u32 %r2, %r1, 7;
    xor.b32 %r3, %r1, %r2;
    mul.lo.u32 %r4, %r3, 2654435761;
    st.param.b32 [result], %r4;
    ret;
}
)";

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUcontext context = start_driver();
    CUlinkState link;
    DRIVER(cuLinkCreate(0, nullptr, nullptr, &link));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(KERNEL_UNIT), std::strlen(KERNEL_UNIT) + 1, "kernel", 0, nullptr, nullptr));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(FUNCTION_UNIT), std::strlen(FUNCTION_UNIT) + 1, "function", 0, nullptr,
                         nullptr));
    void* image;
    size_t bytes = 0;
    DRIVER(cuLinkComplete(link, &image, &bytes));
    CUmodule module;
    CUfunction mix_all;
    DRIVER(cuModuleLoadData(&module, image));
    DRIVER(cuLinkDestroy(link));
    DRIVER(cuModuleGetFunction(&mix_all, module, "mix_all"));
    std::vector<uint32_t> values = numbers<uint32_t>(count, 5, uint64_t(1) << 32), expected = values;
    for (uint32_t& value : expected) {
        value = (value ^ (value >> 7)) * 2654435761u;
    }
    {
        Numbers data(values);
        void* arguments[] = {&data.address, &length};
        DRIVER(cuLaunchKernel(mix_all, (length + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
        expect("mixed", data.all(), expected);
    }
    CUdeviceptr calls;
    uint32_t called = 0;
    DRIVER(cuModuleGetGlobal(&calls, nullptr, module, "calls"));
    DRIVER(cuMemcpyDtoH(&called, calls, sizeof called));
    expect("calls", called, length);
    DRIVER(cuModuleUnload(module));
    DRIVER(cuCtxDestroy(context));
    return finish();
}
