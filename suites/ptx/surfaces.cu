// Surface objects: reads and writes of every geometry and boundary mode, sust.p, sured and queries.
#include "support/launch.cuh"

template <typename T> __global__ void reads_and_writes(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int x, int y, int z)
{
    const int bytes = x * static_cast<int>(sizeof(T));
    surf1Dwrite(surf1Dread<T>(from, bytes), to, bytes);
    surf2Dwrite(surf2Dread<T>(from, bytes, y, cudaBoundaryModeZero), to, bytes, y, cudaBoundaryModeClamp);
    surf3Dwrite(surf3Dread<T>(from, bytes, y, z, cudaBoundaryModeClamp), to, bytes, y, z, cudaBoundaryModeZero);
    surf1DLayeredwrite(surf1DLayeredread<T>(from, bytes, z), to, bytes, z);
    surf2DLayeredwrite(surf2DLayeredread<T>(from, bytes, y, z), to, bytes, y, z, cudaBoundaryModeTrap);
    surfCubemapwrite(surfCubemapread<T>(from, bytes, y, 3), to, bytes, y, 3);
    surfCubemapLayeredwrite(surfCubemapLayeredread<T>(from, bytes, y, 7), to, bytes, y, 7);
}

#define SURFACES(type) template __global__ void reads_and_writes<type>(cudaSurfaceObject_t, cudaSurfaceObject_t, int, int, int);
SURFACES(unsigned char)
SURFACES(short2)
SURFACES(int)
SURFACES(float)
SURFACES(float2)
SURFACES(uchar4)
SURFACES(float4)
SURFACES(longlong2)

__global__ void instructions(cudaSurfaceObject_t surface, int *out, int x, int y)
{
    int d;
    asm volatile("suq.width.b32 %0, [%1];" : "=r"(d) : "l"(surface)); *out++ = d;
    asm volatile("suq.height.b32 %0, [%1];" : "=r"(d) : "l"(surface)); *out++ = d;
    asm volatile("suq.depth.b32 %0, [%1];" : "=r"(d) : "l"(surface)); *out++ = d;
    asm volatile("suq.channel_data_type.b32 %0, [%1];" : "=r"(d) : "l"(surface)); *out++ = d;
    asm volatile("suld.b.2d.v2.b32.trap {%0, _}, [%1, {%2, %3}];" : "=r"(d) : "l"(surface), "r"(x), "r"(y)); *out++ = d;
    asm volatile("sust.b.1d.b32.clamp [%0, {%1}], %2;" ::"l"(surface), "r"(x), "r"(d) : "memory");
    asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %3, %3, %3};" ::"l"(surface), "r"(x), "r"(y), "r"(d) : "memory");
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(x), "r"(y), "r"(d) : "memory");
    asm volatile("sured.b.min.1d.s32.zero [%0, {%1}], %2;" ::"l"(surface), "r"(x), "r"(d) : "memory");
    asm volatile("sured.b.or.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(surface), "r"(x), "r"(y), "r"(d) : "memory");
    asm volatile("sured.p.max.3d.b32.trap [%0, {%1, %2, %1, %1}], %3;" ::"l"(surface), "r"(x), "r"(y), "r"(d) : "memory");
    asm volatile("sured.b.add.1d.u64.trap [%0, {%1}], %2;" ::"l"(surface), "r"(x), "l"(static_cast<long long>(d)) : "memory");
}

#ifndef __CUDACC_RTC__
__global__ void put(cudaSurfaceObject_t surface)
{
    surf2Dwrite(static_cast<float>(threadIdx.x), surface, static_cast<int>(threadIdx.x * sizeof(float)), 0);
}

int main()
{
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    corpus::succeeded(cudaMallocArray(&array, &format, 32, 4, cudaArraySurfaceLoadStore), "cudaMallocArray");
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    corpus::succeeded(cudaCreateSurfaceObject(&surface, &resource), "cudaCreateSurfaceObject");
    put<<<1, 32>>>(surface);
    float value = 0;
    corpus::succeeded(cudaMemcpy2DFromArray(&value, sizeof(float), array, 5 * sizeof(float), 0, sizeof(float), 1, cudaMemcpyDeviceToHost), "cudaMemcpy2DFromArray");
    return corpus::finish("surfaces", value == 5.0f);
}
#endif
