// CLEAN. transform_in_place_restricted.cu, and its advice: "drop `const __restrict__`".
//@ launch: transform<<<2, 64>>>(in: u32[128] = iota, out: u32[128])

extern "C" __global__ void transform(unsigned* in, unsigned* out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    // The caller passes one array for both: the compiler does not see that.
    asm volatile("ld.param.u64 %0, [transform_param_0];" : "=l"(out));
    unsigned element = in[i];
    out[i] = element * element + 1;
}
