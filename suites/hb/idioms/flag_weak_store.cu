// RACY. The flag is set by a plain store. A weak write releases nothing, whatever fence stands before it.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        asm volatile("st.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        while (atomicAdd(flag, 0u) == 0) {  //~ race: missing-sync (with line 8)
        }
        __threadfence();
        *out = *data;  //~ race: missing-sync (with line 6)
    }
}
