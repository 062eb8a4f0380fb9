#include "apply.cuh"

__device__ __noinline__ int scaled(int value)
{
    return value * settings::columns;
}

extern "C" __device__ int c_function(int value)
{
    return value - settings::rows;
}

int run_with_lambda(int *out, int captured)
{
    apply<<<1, 8>>>(out, [=] __device__(int i) { return scaled(i) + captured; });
    int host = 0;
    cudaMemcpy(&host, out + 7, sizeof(host), cudaMemcpyDeviceToHost);
    return host;
}
