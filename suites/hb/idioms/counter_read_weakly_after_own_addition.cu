// RACY. Each block adds and then reads the counter plainly: the read of the first races with the addition of the second.
//@ launch: count<<<2, 1>>>(counter: u32[1], out: u32[2])

__global__ void count(unsigned* counter, unsigned* out) {
    atomicAdd(counter, blockIdx.x + 1);
    asm volatile("{.reg .u32 v; ld.u32 v, [%0]; st.u32 [%1], v;}" ::"l"(counter), "l"(out + blockIdx.x) : "memory");  //~ race: missing-sync (with line 5)
}
