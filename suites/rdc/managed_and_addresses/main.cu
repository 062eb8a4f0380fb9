// Initialisers that only the linker can complete, and managed memory seen by host and both units.
#include <cstdio>

#include "data.cuh"

__global__ void kernel(int *out)
{
    *pointer_to_target += 1;
    out[0] = target;
    out[1] = *pointers[0] + pointers[1][1] + *pointers[2];
    out[2] = pointer_to_function(7);
    out[3] = *constant_pointer;
    managed_counter += 1;
    managed_values[2] = 9.0f;
}

int main()
{
    int *out = nullptr;
    cudaMalloc(&out, 4 * sizeof(int));
    managed_counter += 10;
    kernel<<<1, 1>>>(out);
    int host[4] = {};
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    if (host[0] != 43 || host[1] != 30 + 20 + 43 || host[2] != 8 || host[3] != 40 || managed_counter != 16 || managed_values[2] != 9.0f) {
        std::printf("wrong %d %d %d %d %d\n", host[0], host[1], host[2], host[3], managed_counter);
        return 1;
    }
    std::printf("ok %d %d %d %d %d\n", host[0], host[1], host[2], host[3], managed_counter);
    return 0;
}
