#include "units.cuh"

static __device__ int state = 1000;
static __constant__ int factor = 2;

static __device__ __noinline__ int helper(int x)
{
    return x - factor + state;
}

namespace {
__device__ int hidden = 500;
__device__ __noinline__ int anonymous(int x) { return x * hidden; }
} // namespace

__device__ int second_helper()
{
    return helper(1) + anonymous(2);
}

static __global__ void kernel(int *out)
{
    out[0] = helper(4) + anonymous(3) + first_helper();
    state += 10;
}

int run_second(int *out)
{
    kernel<<<1, 1>>>(out);
    int host = 0;
    cudaMemcpy(&host, out, sizeof(host), cudaMemcpyDeviceToHost);
    return host;
}
