#include <cassert>
#include <cstdio>

#include "sampling.cuh"

__device__ float sample(cudaTextureObject_t texture, int index)
{
    assert(index >= 0);
    return tex1Dfetch<float>(texture, index);
}

__device__ void say(const char *what, int value)
{
    printf("%s %d\n", what, value);
}
