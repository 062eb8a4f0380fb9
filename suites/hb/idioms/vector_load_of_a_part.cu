// CLEAN. Three members are read by one wide load; the fourth, which another block writes, is not asked for.
//@ launch: sum<<<2, 32>>>(point: u32[4], out: u32[1])

__global__ void sum(unsigned* point, unsigned* out) {
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x == 0) {
        unsigned x, y, z, w;
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(point));
        *out = x + y + z;
    } else {
        point[3] = 5;
    }
}
