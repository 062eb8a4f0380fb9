#include "units.cuh"

static __device__ int state = 3;
static __constant__ int factor = 7;

static __device__ __noinline__ int helper(int x)
{
    return x * factor + state;
}

namespace {
__device__ int hidden = 11;
__device__ __noinline__ int anonymous(int x) { return x + hidden; }
} // namespace

__device__ int first_helper()
{
    return helper(1) + anonymous(0);
}

static __global__ void kernel(int *out)
{
    out[0] = helper(2) + anonymous(1) + second_helper();
    state += 1;
}

int run_first(int *out)
{
    kernel<<<1, 1>>>(out);
    kernel<<<1, 1>>>(out);
    int host = 0;
    cudaMemcpy(&host, out, sizeof(host), cudaMemcpyDeviceToHost);
    return host;
}
