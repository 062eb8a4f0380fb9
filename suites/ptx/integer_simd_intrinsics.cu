// The __v* intrinsics on two 16-bit or four 8-bit lanes, the fused min/max intrinsics, and video instructions.
#include "support/launch.cuh"

#define UNARY(name) result ^= name(a);
#define BINARY(name) result += name(a, b);

__global__ void four_lanes(unsigned *out)
{
    const int i = threadIdx.x;
    const unsigned a = out[i], b = out[i + 1];
    unsigned result = 0;
    UNARY(__vabs4) UNARY(__vabsss4) UNARY(__vneg4) UNARY(__vnegss4)
    BINARY(__vabsdiffs4) BINARY(__vabsdiffu4) BINARY(__vadd4) BINARY(__vaddss4) BINARY(__vaddus4)
    BINARY(__vavgs4) BINARY(__vavgu4) BINARY(__vhaddu4)
    BINARY(__vcmpeq4) BINARY(__vcmpges4) BINARY(__vcmpgeu4) BINARY(__vcmpgts4) BINARY(__vcmpgtu4)
    BINARY(__vcmples4) BINARY(__vcmpleu4) BINARY(__vcmplts4) BINARY(__vcmpltu4) BINARY(__vcmpne4)
    BINARY(__vmaxs4) BINARY(__vmaxu4) BINARY(__vmins4) BINARY(__vminu4)
    BINARY(__vsads4) BINARY(__vsadu4) BINARY(__vseteq4) BINARY(__vsetges4) BINARY(__vsetltu4)
    BINARY(__vsub4) BINARY(__vsubss4) BINARY(__vsubus4)
    out[i] = result;
}

__global__ void two_lanes(unsigned *out)
{
    const int i = threadIdx.x;
    const unsigned a = out[i], b = out[i + 1];
    unsigned result = 0;
    UNARY(__vabs2) UNARY(__vabsss2) UNARY(__vneg2) UNARY(__vnegss2)
    BINARY(__vabsdiffs2) BINARY(__vabsdiffu2) BINARY(__vadd2) BINARY(__vaddss2) BINARY(__vaddus2)
    BINARY(__vavgs2) BINARY(__vavgu2) BINARY(__vhaddu2)
    BINARY(__vcmpeq2) BINARY(__vcmpges2) BINARY(__vcmpgeu2) BINARY(__vcmpgts2) BINARY(__vcmpgtu2)
    BINARY(__vcmples2) BINARY(__vcmpleu2) BINARY(__vcmplts2) BINARY(__vcmpltu2) BINARY(__vcmpne2)
    BINARY(__vmaxs2) BINARY(__vmaxu2) BINARY(__vmins2) BINARY(__vminu2)
    BINARY(__vsads2) BINARY(__vsadu2) BINARY(__vseteq2) BINARY(__vsetgts2) BINARY(__vsetleu2)
    BINARY(__vsub2) BINARY(__vsubss2) BINARY(__vsubus2)
    out[i] = result;
}

// The fused minimum/maximum intrinsics; from sm_90 on they are single instructions.
__global__ void fused_minimum_maximum(int *out, unsigned *uout)
{
    const int i = threadIdx.x;
    const int a = out[i], b = out[i + 1], c = out[i + 2];
    const unsigned ua = uout[i], ub = uout[i + 1], uc = uout[i + 2];
    bool high = false, low = false;
    int result = __vimax3_s32(a, b, c) + __vimin3_s32(a, b, c) + __vimax3_s32_relu(a, b, c) + __vimin_s32_relu(a, b);
    result += __viaddmax_s32(a, b, c) + __viaddmin_s32(a, b, c) + __viaddmax_s32_relu(a, b, c);
    result += __vibmax_s32(a, b, &high) + __vibmin_s32(b, c, &low);
    out[i] = result + high + low;
    unsigned uresult = __vimax3_u32(ua, ub, uc) + __vimin3_u32(ua, ub, uc) + __viaddmax_u32(ua, ub, uc);
    uresult += __vimax3_s16x2(ua, ub, uc) + __vimin3_u16x2(ua, ub, uc) + __vimax_s16x2_relu(ua, ub) + __viaddmax_u16x2(ua, ub, uc)
        + __viaddmin_s16x2(ua, ub, uc) + __viaddmin_s16x2_relu(ua, ub, uc);
    uresult += __vibmax_s16x2(ua, ub, &high, &low);
    uout[i] = uresult + high + low;
}

// The scalar and SIMD video instructions with their selectors, saturation and second operations.
__global__ void video_instructions(int *out)
{
    const int i = threadIdx.x;
    const int a = out[i], b = out[i + 1], c = out[i + 2];
    int d, sum = 0;
#define VIDEO2(text) asm(text " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); sum += d;
#define VIDEO3(text) asm(text : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum += d;
    VIDEO2("vadd.s32.s32.s32") VIDEO2("vadd.s32.u32.s32.sat") VIDEO2("vsub.u32.u32.s32")
    VIDEO3("vadd.s32.s32.s32 %0, %1.b0, %2.h1;") VIDEO3("vadd.s32.s32.s32.sat.add %0, %1.b3, %2.b2, %3;")
    VIDEO3("vsub.s32.s32.s32.min %0, %1.h0, %2, %3;") VIDEO3("vadd.s32.s32.s32 %0.h1, %1, %2, %3;")
    VIDEO3("vabsdiff.u32.s32.s32.add %0, %1, %2.b1, %3;") VIDEO3("vmin.s32.s32.s32.max %0, %1, %2, %3;")
    VIDEO3("vmax.u32.u32.u32 %0.b2, %1, %2.h0, %3;")
    VIDEO3("vshl.u32.u32.u32.clamp.add %0, %1, %2, %3;") VIDEO3("vshr.s32.s32.u32.wrap %0, %1.h1, %2.b0;")
    VIDEO3("vmad.s32.s32.s32 %0, %1.h0, %2.h1, %3;") VIDEO3("vmad.s32.s32.s32.sat %0, %1.b0, -%2.b1, %3;")
    VIDEO3("vmad.u32.u32.u32.shr7 %0, %1, %2, %3;") VIDEO3("vmad.s32.s32.s32.shr15 %0, %1.h0, %2.h0, %3;")
    VIDEO3("vmad.u32.u32.u32.po %0, %1.b0, %2.b1, %3;")
    VIDEO3("vset.s32.s32.lt %0, %1.h0, %2.h1;") VIDEO3("vset.u32.s32.ge.add %0, %1, %2, %3;") VIDEO3("vset.u32.u32.ne %0.b1, %1, %2, %3;")
    VIDEO3("vadd2.s32.s32.s32 %0, %1, %2, %3;") VIDEO3("vadd2.s32.s32.s32.sat %0.h10, %1.h32, %2.h10, %3;")
    VIDEO3("vsub2.u32.u32.u32.add %0.h1, %1, %2, %3;") VIDEO3("vavrg2.s32.s32.s32 %0, %1, %2, %3;")
    VIDEO3("vabsdiff2.s32.s32.s32 %0, %1, %2.h32, %3;") VIDEO3("vmin2.u32.u32.u32 %0.h0, %1, %2, %3;") VIDEO3("vmax2.s32.s32.s32.add %0, %1, %2, %3;")
    VIDEO3("vset2.s32.s32.gt %0, %1, %2, %3;") VIDEO3("vset2.u32.u32.eq.add %0, %1, %2, %3;")
    VIDEO3("vadd4.s32.s32.s32 %0, %1, %2, %3;") VIDEO3("vadd4.u32.u32.u32.sat %0.b3210, %1.b7654, %2.b3210, %3;")
    VIDEO3("vsub4.s32.s32.s32 %0.b20, %1, %2, %3;") VIDEO3("vavrg4.u32.u32.u32 %0, %1, %2, %3;")
    VIDEO3("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;") VIDEO3("vmin4.s32.s32.s32 %0, %1.b4321, %2, %3;") VIDEO3("vmax4.u32.u32.u32 %0, %1, %2, %3;")
    VIDEO3("vset4.u32.u32.lt %0, %1, %2, %3;") VIDEO3("vset4.u32.u32.ne.add %0.b310, %1, %2, %3;")
    out[i] = sum;
}

#ifndef __CUDACC_RTC__
int main()
{
    unsigned *out = corpus::device_array<unsigned>(128);
    four_lanes<<<1, 32>>>(out);
    two_lanes<<<1, 32>>>(out);
    fused_minimum_maximum<<<1, 32>>>(corpus::device_array<int>(128), out);
    video_instructions<<<1, 32>>>(corpus::device_array<int>(128));
    return corpus::finish("integer_simd_intrinsics");
}
#endif
