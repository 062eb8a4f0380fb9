// Predicates: setp with combining operators and two results, set, selp, slct, negated guards, short circuits.
#include "support/launch.cuh"

__global__ void setp_integer(int *out, int a, int b, unsigned c)
{
    int d = 0;
#define SETP(compare, type)                                                                                    \
    asm volatile("{\n\t.reg .pred p, q, r;\n\tsetp.ne.u32 r, %3, 0;\n\tsetp." compare "." type " p, %1, %2;\n\t"   \
                 "setp." compare ".and." type " p|q, %1, %2, r;\n\tsetp." compare ".or." type " p, %1, %2, !r;\n\t" \
                 "setp." compare ".xor." type " q|_, %1, %2, p;\n\t"                                            \
                 "@p add.s32 %0, %0, 1;\n\t@!q add.s32 %0, %0, 2;\n\t}"                                          \
                 : "+r"(d) : "r"(a), "r"(b), "r"(c));
    SETP("eq", "s32") SETP("ne", "s32") SETP("lt", "s32") SETP("le", "s32") SETP("gt", "s32") SETP("ge", "s32")
    SETP("lo", "u32") SETP("ls", "u32") SETP("hi", "u32") SETP("hs", "u32") SETP("eq", "b32") SETP("ne", "b32")
#undef SETP
    out[threadIdx.x] = d;
}

__global__ void setp_float(int *out, float a, float b, double x, double y)
{
    int d = 0;
#define SETP(compare)                                                                                               \
    asm volatile("{\n\t.reg .pred p, q;\n\tsetp." compare ".f32 p, %1, %2;\n\tsetp." compare ".ftz.f32 p|q, %1, %2;\n\t" \
                 "setp." compare ".and.f64 p|q, %3, %4, p;\n\t@p add.s32 %0, %0, 1;\n\t@!q sub.s32 %0, %0, 1;\n\t}"       \
                 : "+r"(d) : "f"(a), "f"(b), "d"(x), "d"(y));
    SETP("eq") SETP("ne") SETP("lt") SETP("le") SETP("gt") SETP("ge")
    SETP("equ") SETP("neu") SETP("ltu") SETP("leu") SETP("gtu") SETP("geu") SETP("num") SETP("nan")
#undef SETP
    out[threadIdx.x] = d;
}

__global__ void set_and_select(int *out, float *real, int a, int b, float f, long long w)
{
    int d = 0, sum = 0;
    float e = 0, total = 0;
    asm("set.lt.u32.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); sum += d;
    asm("set.ge.s32.f32 %0, %1, %2;" : "=r"(d) : "f"(f), "f"(f)); sum += d;
    asm("set.lt.f32.s32 %0, %1, %2;" : "=f"(e) : "r"(a), "r"(b)); total += e;
    asm("set.gtu.ftz.f32.f32 %0, %1, 0f3F800000;" : "=f"(e) : "f"(f)); total += e;
    asm("{.reg .pred p; setp.gt.s32 p, %1, 4; set.eq.and.u32.s64 %0, %2, 0, !p;}" : "=r"(d) : "r"(a), "l"(w)); sum += d;
    asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(sum)); sum += d;
    asm("slct.b32.f32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "f"(f)); sum += d;
    asm("slct.ftz.f32.f32 %0, %1, %2, %3;" : "=f"(e) : "f"(f), "f"(total), "f"(e)); total += e;
    asm("slct.u64.s32 %0, %0, 17, %1;" : "+l"(w) : "r"(a));
    asm("{.reg .pred p; setp.ne.s32 p, %1, %2; selp.b32 %0, %1, %2, p;}" : "=r"(d) : "r"(a), "r"(b)); sum += d;
    asm("{.reg .pred p; setp.ne.s32 p, %1, 0; selp.f32 %0, %2, 0f00000000, p;}" : "=f"(e) : "r"(a), "f"(f)); total += e;
    out[threadIdx.x] = sum + static_cast<int>(w);
    real[threadIdx.x] = total;
}

__global__ void short_circuits(int *out, const int *in, int n)
{
    const int i = threadIdx.x;
    if (i < n && in[i] > 3 && (in[i] < 100 || in[i + 1] == 0) && !(in[i] & 1)) {
        out[i] = in[i] ? in[i] * 2 : -1;
    } else if (i == n || in[0] == 7) {
        out[i] = 5;
    }
    const bool first = in[i] > 0, second = in[i + 1] > 0;
    out[i] += (first ^ second) + (first & !second) * 2 + (first == second) * 4;
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(64);
    setp_integer<<<1, 32>>>(out, 1, 2, 3);
    setp_float<<<1, 32>>>(out, 1, 2, 3, 4);
    set_and_select<<<1, 32>>>(out, corpus::device_array<float>(64), 1, 2, 3, 4);
    short_circuits<<<1, 32>>>(out, corpus::device_array<int>(64), 16);
    return corpus::finish("predicates_and_selection");
}
#endif
