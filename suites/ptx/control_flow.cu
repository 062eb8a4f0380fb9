// Control flow: dense and sparse switches, loops of every kind, early exits, goto, unroll pragmas, brx.idx by hand.
#include "support/launch.cuh"

__global__ void dense_switch(int *out, const int *in)
{
    int value = in[threadIdx.x];
    switch (value) {
    case 0: value = in[1] * 3; break;
    case 1: value += in[2]; break;
    case 2: out[40] = 1; [[fallthrough]];
    case 3: value ^= in[5]; break;
    case 4: return;
    case 5: value = in[value]; break;
    case 6: value -= 12; out[41] = value; break;
    case 7: value = value / in[7]; break;
    case 8: value <<= in[8]; break;
    case 9: value = -in[9] + out[3]; break;
    case 10: __threadfence(); value = 4; break;
    default: value = -1;
    }
    out[threadIdx.x] = value;
}

__global__ void sparse_switch(int *out, const unsigned long long *in)
{
    switch (in[threadIdx.x]) {
    case 1: out[0] = 4; break;
    case 1000: out[1] = 5; break;
    case 123456789012ull: out[2] = 6; break;
    case 0xffffffffffffull: out[3] = out[4]; break;
    default: break;
    }
}

__global__ void loops(int *out, const int *in, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        if (in[i] == 13) {
            continue;
        }
        if (in[i] < 0) {
            break;
        }
        for (int j = i; j < n; j += 2) {
            sum += in[j] * i;
        }
    }
    int k = n;
    while (k > 0) {
        sum += in[k - 1];
        k = k / 2;
    }
    do {
        sum ^= k;
        ++k;
    } while (k < in[0]);
    out[threadIdx.x] = sum;
}

__global__ void unrolling(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        sum += in[i];
    }
#pragma unroll 8
    for (int i = 0; i < n; ++i) {
        sum += in[i] * 2.0f;
    }
#pragma unroll 1
    for (int i = 0; i < 100; ++i) {
        sum = sum * in[i] + 1.0f;
    }
#pragma unroll 1
    for (int i = 0; i < n; i += 3) {
        sum -= in[i];
    }
    out[threadIdx.x] = sum;
}

__global__ void jumps(int *out, int n)
{
    int value = n;
again:
    value = value * 3 + 1;
    if (value < 1000) {
        if (value & 1) {
            goto again;
        }
        value /= 2;
        goto out_of_here;
    }
    value = -value;
out_of_here:
    out[threadIdx.x] = value;
}

// An irreducible region: two entries into one cycle.
__global__ void irreducible(int *out, const int *in, int n)
{
    int i = 0, sum = 0;
    if (in[threadIdx.x] > 0) {
        goto second;
    }
first:
    sum += in[i];
    out[i] = sum;
second:
    ++i;
    sum ^= i;
    if (i < n && sum != 77) {
        goto first;
    }
    out[threadIdx.x] = sum;
}

__global__ void indexed_branch(int *out, unsigned which)
{
    int result = 0;
    asm volatile("{\n\t"
                 ".reg .u32 index;\n\t"
                 "min.u32 index, %1, 2;\n\t"
                 "targets: .branchtargets zero, one, two;\n\t"
                 "brx.idx index, targets;\n\t"
                 "zero: mov.s32 %0, 10;\n\t"
                 "bra.uni done;\n\t"
                 "one: mov.s32 %0, 20;\n\t"
                 "bra done;\n\t"
                 "two: mov.s32 %0, 30;\n\t"
                 "done:\n\t"
                 "}"
                 : "=r"(result)
                 : "r"(which));
    out[threadIdx.x] = result;
}

__global__ void exits(int *out, int n)
{
    if (static_cast<int>(threadIdx.x) >= n) {
        asm volatile("exit;");
    }
    asm volatile("{.reg .pred p; setp.eq.s32 p, %0, 12345; @p exit; @p trap;}" ::"r"(n));
    if (n == 54321) {
        __trap();
    }
    if (n == 54322) {
        __brkpt();
    }
    if (n < 0) {
        __builtin_unreachable();
    }
    __builtin_assume(n < 100000);
    if (__builtin_expect(n == 9, 0)) {
        out[1] = 2;
    }
    out[threadIdx.x] = n;
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(64);
    int *in = corpus::device_array<int>(64);
    dense_switch<<<1, 32>>>(out, in);
    loops<<<1, 32>>>(out, in, 10);
    jumps<<<1, 32>>>(out, 10);
    exits<<<1, 32>>>(out, 16);
    indexed_branch<<<1, 32>>>(out, 1);
    return corpus::finish("control_flow", corpus::read_back(out) == 20);
}
#endif
