// What the programs share that use the driver's own functions: their errors, and PTX texts to load.
#pragma once
#include "support.h"
#include <cuda.h>

#define DRIVER(call) driver_status((call), #call, __FILE__, __LINE__)

inline void driver_status(CUresult status, const char* call, const char* file, int line) {
    if (status != CUDA_SUCCESS) {
        const char* name = nullptr;
        cuGetErrorName(status, &name);
        std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, name != nullptr ? name : "unknown error");
        std::exit(1);
    }
}

inline CUcontext create_context(CUdevice device) {
    CUcontext context;
#if CUDA_VERSION >= 13000
    DRIVER(cuCtxCreate(&context, nullptr, 0, device));
#else
    DRIVER(cuCtxCreate(&context, 0, device));
#endif
    return context;
}

inline CUcontext start_driver() {
    CUdevice device;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    return create_context(device);
}

// Numbers in memory of the current context.
class Numbers {
  public:
    explicit Numbers(const std::vector<uint32_t>& values) : count_(values.size()) {
        DRIVER(cuMemAlloc(&address, count_ * sizeof(uint32_t)));
        DRIVER(cuMemcpyHtoD(address, values.data(), count_ * sizeof(uint32_t)));
    }
    ~Numbers() { cuMemFree(address); }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    std::vector<uint32_t> all() const {
        std::vector<uint32_t> values(count_);
        DRIVER(cuMemcpyDtoH(values.data(), address, count_ * sizeof(uint32_t)));
        return values;
    }
    CUdeviceptr address = 0;

  private:
    size_t count_;
};

// scale: data[i] = data[i] * factor + offset, where offset is a variable of the module.
static const char* const SCALE_PTX = R"(
.version 7.8
.target sm_80
.address_size 64

.visible .global .align 4 .u32 offset = 5;

.visible .entry scale(.param .u64 data, .param .u32 count, .param .u32 factor)
{
    .reg .pred %p<2>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [count];
    ld.param.u32 %r2, [factor];
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
    ld.global.u32 %r8, [offset];
    mad.lo.u32 %r9, %r7, %r2, %r8;
    st.global.u32 [%rd3], %r9;
DONE:
    ret;
}
)";

// Another kernel of the same name: data[i] = data[i] ^ factor.
static const char* const OTHER_SCALE_PTX = R"(
.version 7.8
.target sm_80
.address_size 64

.visible .entry scale(.param .u64 data, .param .u32 count, .param .u32 factor)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [count];
    ld.param.u32 %r2, [factor];
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
    xor.b32 %r8, %r7, %r2;
    st.global.u32 [%rd3], %r8;
DONE:
    ret;
}
)";

inline std::vector<uint32_t> scaled(std::vector<uint32_t> values, uint32_t factor, uint32_t offset) {
    for (uint32_t& value : values) {
        value = value * factor + offset;
    }
    return values;
}

inline void launch_scale(CUfunction scale, Numbers& data, uint32_t count, uint32_t factor, CUstream stream = nullptr) {
    void* arguments[] = {&data.address, &count, &factor};
    DRIVER(cuLaunchKernel(scale, (count + 127) / 128, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
}
