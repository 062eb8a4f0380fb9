// mma.sync in every shape and type, ldmatrix, stmatrix and movmatrix, with predication by architecture.
//@ architectures: 75 80 90 90a 100 100a 120 120a
#include "support/launch.cuh"

__global__ void turing(unsigned *out)
{
    unsigned a = out[0], b = out[1], c = out[2], d = 0, e = 0, g = 0, h = 0;
    float f0 = 0, f1 = 0, f2 = 0, f3 = 0;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};" : "=r"(d), "=r"(e) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(c));
#define INTEGER(types) asm volatile("mma.sync.aligned." types " {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d), "=r"(e) : "r"(a), "r"(b), "r"(d), "r"(e));
    INTEGER("m8n8k16.row.col.s32.s8.s8.s32") INTEGER("m8n8k16.row.col.satfinite.s32.s8.u8.s32") INTEGER("m8n8k16.row.col.s32.u8.s8.s32") INTEGER("m8n8k16.row.col.s32.u8.u8.s32")
#if __CUDA_ARCH__ < 900
    INTEGER("m8n8k32.row.col.s32.s4.s4.s32") INTEGER("m8n8k32.row.col.satfinite.s32.u4.s4.s32") INTEGER("m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3, %0, %1, %2, %3};" : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(c), "r"(d));
    asm volatile("mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %4}, {%0, %1, %2, %3};" : "+r"(d), "+r"(e), "+r"(g), "+r"(h) : "r"(a), "r"(b), "r"(c));
#endif
    out[threadIdx.x] = d + e + g + h + __float_as_uint(f0 + f1 + f2 + f3);
}

__global__ void ampere(unsigned *out, double *wide)
{
#if __CUDA_ARCH__ >= 800
    unsigned a = out[0], b = out[1], c = out[2], d = out[3], e = out[4], g = out[5];
    float f0 = 0, f1 = 0, f2 = 0, f3 = 0;
    int i0 = 0, i1 = 0, i2 = 0, i3 = 0;
    double w0 = wide[0], w1 = wide[1];
#define FLOAT_K16(types) asm volatile("mma.sync.aligned." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(g));
#define FLOAT_K8(types) asm volatile("mma.sync.aligned." types " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(e));
#define INT_K32(types) asm volatile("mma.sync.aligned." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(g));
#define INT_K16(types) asm volatile("mma.sync.aligned." types " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3) : "r"(a), "r"(b), "r"(e));
    FLOAT_K16("m16n8k16.row.col.f32.f16.f16.f32") FLOAT_K16("m16n8k16.row.col.f32.bf16.bf16.f32") FLOAT_K16("m16n8k8.row.col.f32.tf32.tf32.f32")
    FLOAT_K8("m16n8k8.row.col.f32.bf16.bf16.f32") FLOAT_K8("m16n8k4.row.col.f32.tf32.tf32.f32")
    INT_K32("m16n8k32.row.col.s32.s8.s8.s32") INT_K32("m16n8k32.row.col.satfinite.s32.u8.s8.s32") INT_K16("m16n8k16.row.col.s32.s8.u8.s32")
#if __CUDA_ARCH__ < 900
    INT_K32("m16n8k64.row.col.s32.s4.s4.s32") INT_K16("m16n8k32.row.col.satfinite.s32.u4.u4.s32")
    INT_K32("m16n8k256.row.col.s32.b1.b1.s32.and.popc") INT_K16("m16n8k128.row.col.s32.b1.b1.s32.xor.popc")
#endif
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};" : "+r"(i0), "+r"(i1) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(g));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(w0), "+d"(w1) : "d"(wide[2]), "d"(wide[3]));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(w0), "+d"(w1) : "d"(wide[2]), "d"(wide[3]));
#if __CUDA_ARCH__ >= 900
    double w2 = wide[4], w3 = wide[5];
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+d"(w0), "+d"(w1), "+d"(w2), "+d"(w3) : "d"(wide[2]), "d"(wide[3]), "d"(wide[6]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%6, %6}, {%0, %1, %2, %3};" : "+d"(w0), "+d"(w1), "+d"(w2), "+d"(w3) : "d"(wide[2]), "d"(wide[3]), "d"(wide[6]));
    w0 += w2 + w3;
    FLOAT_K16("m16n8k32.row.col.f32.e4m3.e4m3.f32") FLOAT_K16("m16n8k32.row.col.f32.e5m2.e4m3.f32") FLOAT_K8("m16n8k16.row.col.f32.e4m3.e5m2.f32")
#endif
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
    FLOAT_K16("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32") FLOAT_K16("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32")
    asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {%11, %12}, {%13}, {%14, %15};"
                 : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(g), "r"(a), "h"((short)0), "h"((short)1), "r"(b), "h"((short)0), "h"((short)1));
    asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {0, 0}, {%11}, {0, 0};"
                 : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(g), "r"(a), "r"(b));
#endif
    wide[7] = w0 + w1;
    out[threadIdx.x] = static_cast<unsigned>(i0 + i1 + i2 + i3) + __float_as_uint(f0 + f1 + f2 + f3);
#endif
}

__global__ void sparse(unsigned *out)
{
#if __CUDA_ARCH__ >= 800
    unsigned a = out[0], b = out[1], c = out[2], d = out[3], e = out[4], g = out[5], meta = out[6];
    float f0 = 0, f1 = 0, f2 = 0, f3 = 0;
    int i0 = 0, i1 = 0, i2 = 0, i3 = 0;
#define SPARSE_K16(types, selector) asm volatile("mma.sp" types " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, " selector ";" : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(meta));
#define SPARSE_K32(types, selector) asm volatile("mma.sp" types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, " selector ";" : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(g), "r"(a), "r"(b), "r"(meta));
#define SPARSE_INT(types, selector) asm volatile("mma.sp" types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, " selector ";" : "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(g), "r"(a), "r"(b), "r"(meta));
    SPARSE_K16(".sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "0x1") SPARSE_K32(".sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", "0")
    SPARSE_INT(".sync.aligned.m16n8k64.row.col.s32.s8.u8.s32", "0x0")
    SPARSE_K32("::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "0x1") SPARSE_K32("::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", "0x0")
#if __CUDA_ARCH__ >= 900
    SPARSE_K32(".sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32", "0x0")
#endif
    out[threadIdx.x] = static_cast<unsigned>(i0 + i1 + i2 + i3) + __float_as_uint(f0 + f1 + f2 + f3);
#endif
}

__global__ void matrix_moves(unsigned *out)
{
    __shared__ alignas(128) unsigned tile[512];
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + 16 * threadIdx.x;
    tile[threadIdx.x] = out[threadIdx.x];
    __syncwarp();
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(address) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4+64];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(a) : "r"(a));
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(a) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
    asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory");
    asm volatile("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory");
    asm volatile("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
#endif
    out[threadIdx.x] = a + b + c + d + tile[threadIdx.x];
}

#ifndef __CUDACC_RTC__
int main()
{
    unsigned *out = corpus::device_array<unsigned>(64);
    matrix_moves<<<1, 32>>>(out);
    turing<<<1, 32>>>(out);
    ampere<<<1, 32>>>(out, corpus::device_array<double>(8));
    sparse<<<1, 32>>>(out);
    return corpus::finish("mma_instructions");
}
#endif
