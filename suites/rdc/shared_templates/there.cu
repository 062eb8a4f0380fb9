#include "algorithms.cuh"

int run_there(int *out)
{
    template_kernel<3><<<1, 1>>>(out);
    template_kernel<5><<<1, 1>>>(out + 1);
    int host[2] = {};
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    return host[0] * 1000 + host[1];
}
