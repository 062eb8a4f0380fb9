// A texture object and printf used by a unit other than the kernel's.
#include <cstdio>

#include "sampling.cuh"

__global__ void kernel(float *out, cudaTextureObject_t texture)
{
    const int i = static_cast<int>(threadIdx.x);
    out[i] = sample(texture, i) * 2.0f;
    if (i == 3) {
        say("device", i);
    }
}

int main()
{
    float host[32];
    for (int i = 0; i < 32; ++i) {
        host[i] = 0.5f * static_cast<float>(i);
    }
    float *memory = nullptr, *out = nullptr;
    cudaMalloc(&memory, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(memory, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof(host);
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    kernel<<<1, 32>>>(out, texture);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i) {
        if (host[i] != static_cast<float>(i)) {
            std::printf("wrong %d %f\n", i, static_cast<double>(host[i]));
            return 1;
        }
    }
    std::printf("ok %d\n", static_cast<int>(host[31]));
    return 0;
}
