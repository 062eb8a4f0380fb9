// CLEAN. Flags, blocks: fences of the system count as those of the device.
//@ launch: flag_system_fences<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void flag_system_fences(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence_system();
        strong_store(relaxed, gpu, flag, 1);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        __threadfence_system();
        out[0] = weak_load(data);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "a flag hand-off works through st; fence; st.relaxed flag"
    }
}
