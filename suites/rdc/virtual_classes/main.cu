// Objects made in one unit, called virtually and destroyed in another.
#include <cstdio>

#include "animal.cuh"

__global__ void kernel(int *out)
{
    const int i = static_cast<int>(threadIdx.x);
    Animal *animal = make_animal(i);
    if (animal == nullptr) {
        out[i] = -1;
        return;
    }
    out[i] = animal->legs() * 1000 + animal->cost(3);
    delete animal;
}

int main()
{
    int *out = nullptr;
    cudaMalloc(&out, 4 * sizeof(int));
    kernel<<<1, 4>>>(out);
    int host[4] = {};
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    if (host[0] != 2000 || host[1] != 8004 || host[2] != 2060 || host[3] != 8010) {
        std::printf("wrong %d %d %d %d\n", host[0], host[1], host[2], host[3]);
        return 1;
    }
    std::printf("ok %d %d %d %d\n", host[0], host[1], host[2], host[3]);
    return 0;
}
