// RACY. The old style: a volatile flag and fences. PTX orders the data; the flag is a race of CUDA C++ (a warning).
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(volatile unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {  //~ race: volatile warning (with line 8)
        }
        __threadfence();
        *out = *data;
    }
}
