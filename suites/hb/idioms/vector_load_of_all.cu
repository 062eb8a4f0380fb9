// RACY. All four members of the wide load are used, the one that another block writes among them.
//@ launch: sum<<<2, 32>>>(point: u32[4], out: u32[1])

__global__ void sum(unsigned* point, unsigned* out) {
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x == 0) {
        unsigned x, y, z, w;
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(point));
        *out = x + y + z + w;
    } else {
        point[3] = 5;  //~ race: missing-sync (with line 10)
    }
}
