// RACY. The flag is polled by plain loads. A weak read acquires nothing, whatever fence comes after it.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        atomicExch(flag, 1u);
    } else {
        unsigned seen = 0;
        while (seen == 0) {
            asm volatile("ld.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");  //~ race: missing-sync (with line 8)
        }
        __threadfence();
        *out = *data;  //~ race: missing-sync (with line 6)
    }
}
