// RACY. A transform whose pointers promise not to alias, called in place: loads take the read-only path. Each element is read before it is written.
//@ launch: transform<<<2, 64>>>(in: u32[128] = iota, out: u32[128])
//@ groups: 1
//@ advice: drop `const __restrict__`

extern "C" __global__ void transform(const unsigned* __restrict__ in, unsigned* __restrict__ out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    // The caller passes one array for both: the compiler does not see that.
    asm volatile("ld.param.u64 %0, [transform_param_0];" : "=l"(out));
    unsigned element = in[i];
    out[i] = element * element + 1;  //~ race: readonly-path info (with line 10)
}
