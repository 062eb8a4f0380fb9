// RACY. A flag of volatile accesses with fences hands the data over; volatile is no race in PTX, and one in
// CUDA C++.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, volatile unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {  //~ race: volatile warning (with line 10)
        }
        __threadfence();
        out[0] = weak_load(data);
    }
}
