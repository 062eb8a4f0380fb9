// RACY. A volatile flag without fences: volatile orders nothing but itself.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(volatile unsigned* flag, volatile unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        // Volatile asm keeps the compiler from moving the weak store behind the volatile one.
        asm volatile("st.u32 [%0], 42;" ::"l"(data) : "memory");
        *flag = 1;
    } else {
        while (*flag == 0) {  //~ race: volatile warning (with line 8)
        }
        asm volatile("{.reg .u32 v; ld.u32 v, [%0]; st.u32 [%1], v;}" ::"l"(data), "l"(out) : "memory");  //~ race: missing-fence (with line 7)
    }
}
