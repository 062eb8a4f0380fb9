// Inline assembly as people write it: comments, odd spacing, nested scopes, labels, vectors, literals, directives.
#include "support/launch.cuh"

__global__ void spacing_and_comments(int *out, int a)
{
    int d;
    asm volatile("// a comment alone\n\tadd.s32 %0,%1,%1 ;/* after */" : "=r"(d) : "r"(a));
    asm volatile("/* before */ add  .s32\t%0 , %1 , 1\n;" : "+r"(d) : "r"(a));
    asm volatile("add.s32 %0, %0, 1; add.s32 %0, %0, 2; sub.s32 %0, %0, 3;" : "+r"(d));
    asm volatile("" : "+r"(d));
    asm volatile("// nothing but a comment with ; and { and \"quotes\"" ::: "memory");
    asm volatile("/* a comment\n over two lines; with { braces */ mov.b32 %0, %0;" : "+r"(d));
    out[threadIdx.x] = d;
}

__global__ void scopes_and_labels(int *out, int a)
{
    int d = 0;
    asm volatile("{\n\t"
                 "  .reg .s32 t, u<4>;\n\t"
                 "  .reg .pred p;\n\t"
                 "  mov.s32 t, %1;\n\t"
                 "  {\n\t"
                 "    .reg .s32 t;\n\t"
                 "    mov.s32 t, 5;\n\t"
                 "    add.s32 u0, t, %1;\n\t"
                 "  }\n\t"
                 "  setp.gt.s32 p, t, 3;\n\t"
                 "  @p bra $small;\n\t"
                 "  add.s32 u0, u0, 1;\n\t"
                 "$small:\n\t"
                 "  mov.s32 u1, u0; mov.s32 u2, u1; mov.s32 u3, u2;\n\t"
                 "_loop: add.s32 u3, u3, 7;\n\t"
                 "  setp.lt.s32 p, u3, 50;\n\t"
                 "@p   bra.uni _loop;\n\t"
                 "%%dollar$name_1: mov.s32 %0, u3;\n\t"
                 "}"
                 : "=r"(d)
                 : "r"(a));
    out[threadIdx.x] = d;
}

__global__ void local_declarations(int *out, float a)
{
    int d;
    asm volatile("{\n\t"
                 ".reg .f32 f<3>;\n\t"
                 ".reg .b64 address;\n\t"
                 ".shared .align 8 .b8 scratch[32];\n\t"
                 ".local .align 4 .f32 stack[4];\n\t"
                 ".reg .b8 tiny; .reg .u16 h; .reg .v2 .f32 pair;\n\t"
                 "st.shared.f32 [scratch+4], %1;\n\t"
                 "ld.shared.f32 f0, [scratch + 4];\n\t"
                 "st.local.f32 [stack], f0;\n\t"
                 "mov.u64 address, stack;\n\t"
                 "cvta.local.u64 address, address;\n\t"
                 "ld.f32 f1, [address+0];\n\t"
                 "ld.local.v2.f32 {f1, f2}, [stack+8];\n\t"
                 "cvt.rzi.s32.f32 %0, f1;\n\t"
                 "}"
                 : "=r"(d)
                 : "f"(a));
    out[threadIdx.x] = d;
}

__global__ void literals(int *out, float *real, double *wide, unsigned long long *big)
{
    int d, sum = 0;
    float f, fsum = 0;
    double x, xsum = 0;
    unsigned long long w, total = 0;
#define INT(text) asm("mov.b32 %0, " text ";" : "=r"(d)); sum += d;
    INT("0") INT("-1") INT("0x7fFFffFF") INT("0XABCDEF") INT("017") INT("0b1011") INT("0B1") INT("42U") INT("0xffffffffU")
    INT("(3+4)*5") INT("1<<4|2") INT("-(7 %% 4)") INT("~0x0f") INT("!5") INT("7/2") INT("(1==2)?10:20") INT("5>3") INT("(.s64)3") INT("2&&0||1") INT("6^3&1") INT("16>>2")
    INT("0f3F800000") INT("WARP_SZ")
#define FLOAT(text) asm("mov.f32 %0, " text ";" : "=f"(f)); fsum += f;
    FLOAT("0f3F800000") FLOAT("0F40490fdb") FLOAT("1.5") FLOAT("-2.5e3") FLOAT("1.e-3")
#define DOUBLE(text) asm("mov.f64 %0, " text ";" : "=d"(x)); xsum += x;
    DOUBLE("0d3FF0000000000000") DOUBLE("0D400921fb54442d18") DOUBLE("3.25") DOUBLE("-1E-10")
#define BIG(text) asm("mov.b64 %0, " text ";" : "=l"(w)); total += w;
    BIG("0x123456789abcdef0") BIG("-5") BIG("18446744073709551615U") BIG("1<<40")
    out[threadIdx.x] = sum;
    real[threadIdx.x] = fsum;
    wide[threadIdx.x] = xsum;
    big[threadIdx.x] = total;
}

__global__ void vectors_and_addresses(int *out, const int4 *in, long long *wide)
{
    int a, b, c, d;
    asm volatile("ld.global.v4.s32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in));
    asm volatile("ld.global.v4.b32 { %0 , %1, _, %2 }, [ %3 + 16 ];" : "=r"(a), "=r"(b), "=r"(c) : "l"(in));
    asm volatile("ld.global.v2.s32 {%0, %1}, [%2+-8];" : "=r"(a), "=r"(b) : "l"(in + 1));
    asm volatile("st.global.v4.s32 [%0+0x10], {%1, %2, 7, -1};" ::"l"(out), "r"(a), "r"(b) : "memory");
    asm volatile("mov.b64 %0, {%1, %2};" : "=l"(wide[0]) : "r"(c), "r"(d));
    asm volatile("mov.b64 {%0, _}, %1;" : "=r"(a) : "l"(wide[1]));
    asm volatile("{.reg .b16 h<2>; mov.b32 {h0, h1}, %1; mov.b32 %0, {h1, h0};}" : "=r"(b) : "r"(a));
    asm volatile("{.reg .b8 n<4>; mov.b32 {n0, n1, n2, n3}, %1; mov.b32 %0, {n3, n2, n1, n0};}" : "=r"(c) : "r"(b));
    asm volatile("{.reg .b16 h<4>; mov.b64 {h0, h1, h2, h3}, %1; mov.b64 %0, {h3, h1, h2, h0};}" : "=l"(wide[2]) : "l"(wide[3]));
    out[threadIdx.x] = a + b + c + d;
}

__global__ void guards_and_operand_kinds(int *out, int a, short h, unsigned char q, bool flag)
{
    int d = a;
    asm volatile("{ .reg .pred %%p1; setp.ne.s32 %%p1, %1, 0; @%%p1 add.s32 %0, %0, 4; @!%%p1 add.s32 %0, %0, 8; }" : "+r"(d) : "r"(a));
    asm volatile("{ .reg .pred p, q; .reg .pred r; mov.pred p, 1; mov.pred q, 0; not.pred r, q; xor.pred p, p, !q; and.pred p, p, r; @p mov.s32 %0, 3; }" : "+r"(d));
    asm volatile("cvt.s32.s16 %0, %1; add.s32 %0, %0, %2;" : "=r"(d) : "h"(h), "r"(static_cast<int>(q)));
    asm volatile("add.s32 %0, %0, %1;" : "+r"(d) : "n"(1 + 2 * 3));
    asm volatile("add.s32 %0, %0, %1;" : "+r"(d) : "r"(flag ? 1 : 2));
    out[threadIdx.x] = d;
}

// Saturation, and instructions few compilers emit.
__global__ void unusual(int *out, int a)
{
    int d;
    asm volatile("add.sat.s32 %0, %1, 5; sub.sat.s32 %0, %0, 7;" : "=r"(d) : "r"(a));
    asm volatile("neg.s32 %0, %0; rem.s32 %0, %0, 7; div.u32 %0, %0, 3; min.s32 %0, %0, -4; max.u32 %0, %0, 9;" : "+r"(d));
    out[threadIdx.x] = d;
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(64);
    spacing_and_comments<<<1, 32>>>(out, 2);
    literals<<<1, 32>>>(out, corpus::device_array<float>(32), corpus::device_array<double>(32), corpus::device_array<unsigned long long>(32));
    scopes_and_labels<<<1, 32>>>(out, 4);
    return corpus::finish("inline_assembly_formats", corpus::read_back(out) == 51);
}
#endif
