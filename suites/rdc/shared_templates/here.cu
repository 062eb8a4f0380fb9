#include "algorithms.cuh"

int run_here(int *out)
{
    template_kernel<3><<<1, 1>>>(out);
    template_kernel<4><<<1, 1>>>(out + 1);
    int host[2] = {};
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    return host[0] * 1000 + host[1];
}
