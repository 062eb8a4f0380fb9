// CLEAN. System scope includes every thread of the device.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence_system();
        atomicExch_system(flag, 1u);
    } else {
        while (atomicAdd_system(flag, 0u) == 0) {
        }
        __threadfence_system();
        *out = *data;
    }
}
