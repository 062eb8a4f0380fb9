// redux.sync on single precision with .abs and .NaN, which only sm_100a has.
//@ architectures: 100a
#include "support/launch.cuh"

__global__ void floating(float *out)
{
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
    const float value = out[threadIdx.x];
    float d, sum = 0;
#define REDUX(op) asm volatile("redux.sync." op ".f32 %0, %1, 0xffffffff;" : "=f"(d) : "f"(value)); sum += d;
    REDUX("min") REDUX("max") REDUX("min.abs") REDUX("max.NaN") REDUX("max.abs.NaN")
    out[threadIdx.x] = sum;
#endif
}

int main()
{
    if (corpus::device_has(100)) {
        floating<<<1, 32>>>(corpus::device_array<float>(32));
    }
    return corpus::finish("warp_float_reductions");
}
