// RACY. red; fence.acquire acquires nothing: a reduction is no read.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        asm volatile("red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        asm volatile("red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(flag) : "memory");
        __threadfence();
        *out = *data;  //~ race: missing-sync (with line 6)
    }
}
