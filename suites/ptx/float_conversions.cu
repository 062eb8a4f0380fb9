// Conversions between all integer and floating-point types in every rounding mode, saturating ones included.
#include "support/launch.cuh"

__global__ void single_intrinsics(float *real, int *out, unsigned *uout, long long *wide, unsigned long long *uwide)
{
    const int i = threadIdx.x;
    const float a = real[i];
#define ROUNDINGS(name, value) (name##_rn(value) + name##_rz(value) + name##_ru(value) + name##_rd(value))
    out[i] = ROUNDINGS(__float2int, a);
    uout[i] = ROUNDINGS(__float2uint, a);
    wide[i] = ROUNDINGS(__float2ll, a);
    uwide[i] = ROUNDINGS(__float2ull, a);
    real[i] = ROUNDINGS(__int2float, out[i]) + ROUNDINGS(__uint2float, uout[i]) + ROUNDINGS(__ll2float, wide[i]) + ROUNDINGS(__ull2float, uwide[i]);
}

__global__ void double_intrinsics(double *real, float *single, int *out, unsigned *uout, long long *wide, unsigned long long *uwide)
{
    const int i = threadIdx.x;
    const double a = real[i];
    out[i] = ROUNDINGS(__double2int, a);
    uout[i] = ROUNDINGS(__double2uint, a);
    wide[i] = ROUNDINGS(__double2ll, a);
    uwide[i] = ROUNDINGS(__double2ull, a);
    single[i] = ROUNDINGS(__double2float, a);
    real[i] = __int2double_rn(out[i]) + __uint2double_rn(uout[i]) + ROUNDINGS(__ll2double, wide[i]) + ROUNDINGS(__ull2double, uwide[i]) + single[i];
}

template <typename Real> __global__ void casts(Real *real, int8_t *a, uint8_t *b, int16_t *c, uint16_t *d, int64_t *e, uint64_t *f, bool *g)
{
    const int i = threadIdx.x;
    const Real value = real[i];
    a[i] = static_cast<int8_t>(value);
    b[i] = static_cast<uint8_t>(value);
    c[i] = static_cast<int16_t>(value);
    d[i] = static_cast<uint16_t>(value);
    e[i] = static_cast<int64_t>(value);
    f[i] = static_cast<uint64_t>(value);
    g[i] = static_cast<bool>(value);
    real[i] = static_cast<Real>(a[i]) + static_cast<Real>(b[i]) + static_cast<Real>(c[i]) + static_cast<Real>(d[i]) + static_cast<Real>(e[i])
        + static_cast<Real>(f[i]) + static_cast<Real>(g[i]);
}

template __global__ void casts<float>(float *, int8_t *, uint8_t *, int16_t *, uint16_t *, int64_t *, uint64_t *, bool *);
template __global__ void casts<double>(double *, int8_t *, uint8_t *, int16_t *, uint16_t *, int64_t *, uint64_t *, bool *);

__global__ void cvt_instructions(float *real, double *wide, int *out)
{
    const int i = threadIdx.x;
    const float a = real[i];
    const double b = wide[i];
    float f, fsum = 0;
    double d, dsum = 0;
    int n, sum = 0;
    short h;
    long long w;
#define FLOAT(op) asm(op " %0, %1;" : "=f"(f) : "f"(a)); fsum += f;
    FLOAT("cvt.rni.f32.f32") FLOAT("cvt.rzi.f32.f32") FLOAT("cvt.rmi.f32.f32") FLOAT("cvt.rpi.f32.f32") FLOAT("cvt.rni.ftz.f32.f32")
    FLOAT("cvt.sat.f32.f32") FLOAT("cvt.ftz.sat.f32.f32") FLOAT("cvt.rpi.ftz.sat.f32.f32")
#define DOUBLE(op) asm(op " %0, %1;" : "=d"(d) : "d"(b)); dsum += d;
    DOUBLE("cvt.rni.f64.f64") DOUBLE("cvt.rzi.f64.f64") DOUBLE("cvt.rmi.f64.f64") DOUBLE("cvt.rpi.f64.f64") DOUBLE("cvt.sat.f64.f64")
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(b)); fsum += f;
    asm("cvt.rz.sat.f32.f64 %0, %1;" : "=f"(f) : "d"(b)); fsum += f;
    asm("cvt.rm.ftz.f32.f64 %0, %1;" : "=f"(f) : "d"(b)); fsum += f;
    asm("cvt.f64.f32 %0, %1;" : "=d"(d) : "f"(a)); dsum += d;
    asm("cvt.ftz.f64.f32 %0, %1;" : "=d"(d) : "f"(a)); dsum += d;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(n) : "f"(a)); sum += n;
    asm("cvt.rzi.ftz.u32.f32 %0, %1;" : "=r"(n) : "f"(a)); sum += n;
    asm("cvt.rmi.sat.s32.f64 %0, %1;" : "=r"(n) : "d"(b)); sum += n;
    asm("cvt.rpi.s64.f64 %0, %1;" : "=l"(w) : "d"(b)); sum += static_cast<int>(w);
    asm("cvt.rn.f32.s64 %0, %1;" : "=f"(f) : "l"(w)); fsum += f;
    asm("cvt.rz.f64.u64 %0, %1;" : "=d"(d) : "l"(w)); dsum += d;
    asm("cvt.sat.s16.s32 %0, %1;" : "=h"(h) : "r"(sum)); sum += h;
    asm("cvt.sat.u8.s32 %0, %1;" : "=h"(h) : "r"(sum)); sum += h;
    asm("cvt.s32.s8 %0, %1;" : "=r"(n) : "r"(sum)); sum += n;
    asm("cvt.u16.u64 %0, %1;" : "=h"(h) : "l"(w)); sum += h;
    asm("cvt.s64.s16 %0, %1;" : "=l"(w) : "h"(h)); sum += static_cast<int>(w);
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a)); sum += h;
    asm("cvt.rz.f16.f64 %0, %1;" : "=h"(h) : "d"(b)); sum += h;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); fsum += f;
    asm("cvt.rni.s32.f16 %0, %1;" : "=r"(n) : "h"(h)); sum += n;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(h) : "r"(n)); sum += h;
#if __CUDA_ARCH__ >= 750
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(n) : "r"(sum), "r"(sum)); sum += n;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(n) : "r"(sum), "r"(n), "r"(sum)); sum += n;
    asm("cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;" : "=r"(n) : "r"(sum), "r"(n), "r"(sum)); sum += n;
#endif
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(n) : "f"(a), "f"(f)); sum += n;
    asm("cvt.rz.relu.f16x2.f32 %0, %1, %2;" : "=r"(n) : "f"(a), "f"(f)); sum += n;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(n) : "f"(a), "f"(f)); sum += n;
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(n) : "f"(a), "f"(f)); sum += n;
    asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(h) : "f"(a)); sum += h;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(n) : "f"(a)); sum += n;
#endif
#if __CUDA_ARCH__ >= 900
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(n) : "f"(a)); sum += n;
    asm("cvt.rz.relu.tf32.f32 %0, %1;" : "=r"(n) : "f"(a)); sum += n;
    asm("cvt.f32.bf16 %0, %1;" : "=f"(f) : "h"(h)); fsum += f;
    asm("cvt.rn.bf16.s32 %0, %1;" : "=h"(h) : "r"(n)); sum += h;
    asm("cvt.rzi.s32.bf16 %0, %1;" : "=r"(n) : "h"(h)); sum += n;
#endif
#if __CUDA_ARCH__ >= 1000
    asm("cvt.rn.satfinite.tf32.f32 %0, %1;" : "=r"(n) : "f"(a)); sum += n;
#endif
    real[i] = fsum;
    wide[i] = dsum;
    out[i] = sum;
}

#ifndef __CUDACC_RTC__
int main()
{
    float *single = corpus::device_array<float>(64);
    double *wide = corpus::device_array<double>(64);
    int *out = corpus::device_array<int>(64);
    unsigned *uout = corpus::device_array<unsigned>(64);
    long long *w = corpus::device_array<long long>(64);
    unsigned long long *u = corpus::device_array<unsigned long long>(64);
    single_intrinsics<<<1, 32>>>(single, out, uout, w, u);
    double_intrinsics<<<1, 32>>>(wide, single, out, uout, w, u);
    cvt_instructions<<<1, 32>>>(single, wide, out);
    return corpus::finish("float_conversions", corpus::read_back(single) == 0.0f);
}
#endif
