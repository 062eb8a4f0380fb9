// Kernel attributes: launch bounds, register limits, __grid_constant__, weak and aliased names, PDL instructions.
#include "support/launch.cuh"

__global__ void __launch_bounds__(256) at_most_256(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void __launch_bounds__(128, 4) four_blocks(int *out)
{
    out[threadIdx.x] = 2;
}

__global__ void __maxnreg__(40) few_registers(int *out)
{
    out[threadIdx.x] = 3;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CLUSTER_BOUND , 2
#else
#define CLUSTER_BOUND
#endif

__global__ void __launch_bounds__(128, 1 CLUSTER_BOUND) with_cluster_bound(int *out)
{
    out[threadIdx.x] = 4;
}

struct Configuration {
    int values[64];
    const float *source;
    long long stride;
};

__device__ __noinline__ int reads(const Configuration *configuration, int i)
{
    return configuration->values[i] + static_cast<int>(configuration->stride);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define GRID_CONSTANT __grid_constant__
#else
#define GRID_CONSTANT
#endif

__global__ void grid_constant(int *out, const GRID_CONSTANT Configuration configuration, const GRID_CONSTANT int scalar)
{
    out[threadIdx.x] = reads(&configuration, static_cast<int>(threadIdx.x) & 63) + *(&scalar) + (configuration.source == nullptr);
}

extern "C" __global__ void c_name(int *out)
{
    out[0] = 5;
}

static __global__ void internal_kernel(int *out)
{
    out[0] = 6;
}

__global__ __attribute__((used)) void no_parameters()
{
}

template <int Width, bool Flag, typename... Types> __global__ void variadic(int *out, Types... values)
{
    out[threadIdx.x] = (Width + ... + static_cast<int>(values)) + Flag;
}

template __global__ void variadic<1, true, int, double, char>(int *, int, double, char);

// Programmatic dependent launch, and the register budget of warp-specialised kernels.
__global__ void dependent_launch(int *out)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] += 1;
    asm volatile("griddepcontrol.launch_dependents;");
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__global__ void __launch_bounds__(256, 1) register_budgets(int *out)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    }
#endif
    out[threadIdx.x] = 7;
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(256);
    at_most_256<<<1, 256>>>(out);
    four_blocks<<<1, 128>>>(out);
    few_registers<<<1, 32>>>(out);
    grid_constant<<<1, 32>>>(out, Configuration{}, 3);
    no_parameters<<<1, 1>>>();
    c_name<<<1, 1>>>(out);
    internal_kernel<<<1, 1>>>(out);
    return corpus::finish("launch_attributes", corpus::read_back(out) == 6);
}
#endif
