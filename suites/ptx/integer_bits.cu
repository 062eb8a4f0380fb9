// Bit operations: counts, reversals, bit fields, permutes, funnel shifts, three-input logic, sign extension.
#include "support/launch.cuh"

__global__ void intrinsics(unsigned *out, unsigned long long *wide)
{
    const int i = threadIdx.x;
    const unsigned a = out[i], b = out[i + 32];
    const unsigned long long w = wide[i];
    out[i] = __popc(a) + __clz(static_cast<int>(a)) + __brev(a) + __ffs(static_cast<int>(b)) + __byte_perm(a, b, 0x3250u)
        + __byte_perm(a, b, b);
    out[i] += __popcll(w) + __clzll(static_cast<long long>(w)) + __ffsll(static_cast<long long>(w));
    wide[i] = __brevll(w);
    out[i] += __funnelshift_l(a, b, 5) + __funnelshift_lc(a, b, b) + __funnelshift_r(a, b, b) + __funnelshift_rc(a, b, 40);
    out[i] += (a << 13) | (a >> 19);
    out[i] += __fns(a, 3, 2);
}

__global__ void fields_by_assembly(unsigned *out, unsigned long long *wide)
{
    const int i = threadIdx.x;
    unsigned a = out[i], b = out[i + 1], c = out[i + 2], d = 0, sum = 0;
    unsigned long long wa = wide[i], wb = wide[i + 1], wd = 0, wide_sum = 0;
#define ONE(op) asm(op " %0, %1;" : "=r"(d) : "r"(a)); sum += d;
#define THREE(op) asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum += d;
    ONE("popc.b32") ONE("clz.b32") ONE("brev.b32") ONE("bfind.u32") ONE("bfind.s32") ONE("bfind.shiftamt.u32")
    ONE("not.b32") ONE("cnot.b32") ONE("neg.s32") ONE("abs.s32")
    THREE("bfe.u32") THREE("bfe.s32") THREE("prmt.b32") THREE("prmt.b32.f4e") THREE("prmt.b32.b4e")
    THREE("prmt.b32.rc8") THREE("prmt.b32.ecl") THREE("prmt.b32.ecr") THREE("prmt.b32.rc16")
    THREE("shf.l.clamp.b32") THREE("shf.r.clamp.b32") THREE("shf.l.wrap.b32") THREE("shf.r.wrap.b32")
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(7)); sum += d;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum += d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(0xE8)); sum += d;
    asm("bfe.u64 %0, %1, %2, %3;" : "=l"(wd) : "l"(wa), "r"(b), "r"(c)); wide_sum += wd;
    asm("bfe.s64 %0, %1, 8, 16;" : "=l"(wd) : "l"(wa)); wide_sum += wd;
    asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(wd) : "l"(wa), "l"(wb), "r"(b), "r"(c)); wide_sum += wd;
    asm("bfind.u64 %0, %1;" : "=r"(d) : "l"(wa)); sum += d;
    asm("bfind.shiftamt.s64 %0, %1;" : "=r"(d) : "l"(wa)); sum += d;
    asm("popc.b64 %0, %1;" : "=r"(d) : "l"(wa)); sum += d;
    asm("clz.b64 %0, %1;" : "=r"(d) : "l"(wa)); sum += d;
    asm("brev.b64 %0, %1;" : "=l"(wd) : "l"(wa)); wide_sum += wd;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum += d;
#if __CUDA_ARCH__ >= 700
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); sum += d;
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); sum += d;
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); sum += d;
    asm("szext.wrap.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); sum += d;
    asm("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 q, %1, 3;\n\tlop3.or.b32 %0|p, %1, %2, %3, 0x3f, q;\n\t@p add.u32 %0, %0, 1;\n\t}"
        : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum += d;
#endif
    out[i] = sum;
    wide[i] = wide_sum;
}

__global__ void logic(unsigned *out, unsigned short *narrow, unsigned long long *wide)
{
    const int i = threadIdx.x;
    out[i] = (out[i] & out[i + 1]) ^ (out[i + 2] | ~out[i + 3]);
    narrow[i] = static_cast<unsigned short>((narrow[i] & narrow[i + 1]) | ~narrow[i + 2]);
    wide[i] = (wide[i] & wide[i + 1]) ^ ~wide[i + 2];
    unsigned short d;
    asm("shl.b16 %0, %1, %2;" : "=h"(d) : "h"(narrow[i]), "r"(out[i]));
    asm("shr.s16 %0, %0, %1;" : "+h"(d) : "r"(out[i]));
    asm("cnot.b16 %0, %0;" : "+h"(d));
    asm("{ .reg .pred p, q; setp.ne.u16 p, %0, 0; setp.eq.u32 q, %1, 1; and.pred p, p, q; xor.pred q, p, q; or.pred p, p, q; not.pred p, p; selp.b16 %0, 1, %0, p; }"
        : "+h"(d) : "r"(out[i]));
    narrow[i] = d;
}

struct Fields {
    unsigned low : 5;
    int middle : 11;
    unsigned long long high : 40;
};

__global__ void bit_field_members(Fields *fields, int *out)
{
    Fields value = fields[threadIdx.x];
    value.low += 3;
    value.middle -= value.low;
    value.high = value.high * 5 + value.middle;
    fields[threadIdx.x] = value;
    out[threadIdx.x] = value.middle;
}

#ifndef __CUDACC_RTC__
int main()
{
    unsigned *out = corpus::device_array<unsigned>(128);
    unsigned long long *wide = corpus::device_array<unsigned long long>(128);
    intrinsics<<<1, 1>>>(out, wide);
    fields_by_assembly<<<1, 1>>>(out, wide);
    logic<<<1, 1>>>(out, corpus::device_array<unsigned short>(128), wide);
    return corpus::finish("integer_bits");
}
#endif
