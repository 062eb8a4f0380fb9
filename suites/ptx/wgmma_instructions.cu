// Warpgroup matrix multiplication of sm_90a: descriptors, every type, sparse forms, fences, commits and waits.
//@ architectures: 90a
#include "support/launch.cuh"

__global__ void __launch_bounds__(128) every_type(float *out, int *whole, unsigned long long descriptor_a, unsigned long long descriptor_b)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    float f[8] = {};
    int n[4] = {};
    unsigned h[4] = {}, a[4] = {1, 2, 3, 4};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#define FLOAT_N8(types, scales)                                                                                                    \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %6, 0;\n\twgmma.mma_async.sync.aligned." types                                \
                 " {%0, %1, %2, %3}, %4, %5, p, " scales ";\n\t}"                                                                      \
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "l"(descriptor_a), "l"(descriptor_b), "r"(1));
    FLOAT_N8("m64n8k16.f32.f16.f16", "1, 1, 0, 0") FLOAT_N8("m64n8k16.f32.bf16.bf16", "1, -1, 0, 1") FLOAT_N8("m64n8k8.f32.tf32.tf32", "-1, 1")
    FLOAT_N8("m64n8k32.f32.e4m3.e4m3", "1, 1") FLOAT_N8("m64n8k32.f32.e5m2.e4m3", "1, 1") FLOAT_N8("m64n8k32.f32.e5m2.e5m2", "1, 1")
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1, 0, 0;"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]), "+f"(f[4]), "+f"(f[5]), "+f"(f[6]), "+f"(f[7]) : "l"(descriptor_a), "l"(descriptor_b));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 1;"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor_b));
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 1, 1;" : "+r"(h[0]), "+r"(h[1]), "+r"(h[2]), "+r"(h[3]) : "l"(descriptor_a), "l"(descriptor_b));
#define INTEGER(types) asm volatile("wgmma.mma_async.sync.aligned." types " {%0, %1, %2, %3}, %4, %5, 1;" : "+r"(n[0]), "+r"(n[1]), "+r"(n[2]), "+r"(n[3]) : "l"(descriptor_a), "l"(descriptor_b));
    INTEGER("m64n8k32.s32.s8.s8") INTEGER("m64n8k32.satfinite.s32.u8.s8") INTEGER("m64n8k32.s32.u8.u8")
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%0, %1, %2, %3}, %4, %5, 1;" : "+r"(n[0]), "+r"(n[1]), "+r"(n[2]), "+r"(n[3]) : "l"(descriptor_a), "l"(descriptor_b));
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, %6, 0, 1, 1, 1, 0, 0;"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "l"(descriptor_a), "l"(descriptor_b), "r"(a[0]));
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, %9, 0, 1;"
                 : "+r"(n[0]), "+r"(n[1]), "+r"(n[2]), "+r"(n[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor_b), "r"(a[0]));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7];
    whole[threadIdx.x] = n[0] + n[1] + n[2] + n[3] + static_cast<int>(h[0] + h[1] + h[2] + h[3]);
#endif
}

// One real product: 64x8x16 of ones out of shared memory without swizzling.
__global__ void __launch_bounds__(128) product(float *out)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __shared__ alignas(128) unsigned short a[64 * 16];
    __shared__ alignas(128) unsigned short b[8 * 16];
    for (int i = threadIdx.x; i < 64 * 16; i += 128) {
        a[i] = 0x3c00;
    }
    b[threadIdx.x] = 0x3c00;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    auto descriptor = [](const void *p) {
        const unsigned long long address = __cvta_generic_to_shared(p);
        return ((address & 0x3ffff) >> 4) | (8ull << 16) | (16ull << 32);
    };
    float f[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "l"(descriptor(a)), "l"(descriptor(b)) : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = f[0];
#endif
}

int main()
{
    float *out = corpus::device_array<float>(128);
    product<<<1, 128>>>(out);
    return corpus::finish("wgmma_instructions");
}
