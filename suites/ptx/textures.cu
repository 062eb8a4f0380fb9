// Texture objects: every geometry and fetch, with level, gradient, gather, layers, cube maps and sparse residency.
#include "support/launch.cuh"

template <typename T> __global__ void geometries(T *out, cudaTextureObject_t texture, float x, float y, float z, int layer)
{
    T *cursor = out + 32 * threadIdx.x;
    *cursor++ = tex1Dfetch<T>(texture, layer);
    *cursor++ = tex1D<T>(texture, x);
    *cursor++ = tex1DLod<T>(texture, x, 1.0f);
    *cursor++ = tex1DGrad<T>(texture, x, 0.1f, 0.2f);
    *cursor++ = tex2D<T>(texture, x, y);
    *cursor++ = tex2DLod<T>(texture, x, y, 1.0f);
    *cursor++ = tex2DGrad<T>(texture, x, y, make_float2(0.1f, 0.2f), make_float2(0.3f, 0.4f));
    *cursor++ = tex3D<T>(texture, x, y, z);
    *cursor++ = tex3DLod<T>(texture, x, y, z, 1.0f);
    *cursor++ = tex3DGrad<T>(texture, x, y, z, make_float4(0.1f, 0.2f, 0.3f, 0), make_float4(0.4f, 0.5f, 0.6f, 0));
    *cursor++ = tex1DLayered<T>(texture, x, layer);
    *cursor++ = tex1DLayeredLod<T>(texture, x, layer, 1.0f);
    *cursor++ = tex1DLayeredGrad<T>(texture, x, layer, 0.1f, 0.2f);
    *cursor++ = tex2DLayered<T>(texture, x, y, layer);
    *cursor++ = tex2DLayeredLod<T>(texture, x, y, layer, 1.0f);
    *cursor++ = tex2DLayeredGrad<T>(texture, x, y, layer, make_float2(0.1f, 0.2f), make_float2(0.3f, 0.4f));
    *cursor++ = texCubemap<T>(texture, x, y, z);
    *cursor++ = texCubemapLod<T>(texture, x, y, z, 1.0f);
    *cursor++ = texCubemapLayered<T>(texture, x, y, z, layer);
    *cursor++ = texCubemapLayeredLod<T>(texture, x, y, z, layer, 1.0f);
}

#define GEOMETRIES(type) template __global__ void geometries<type>(type *, cudaTextureObject_t, float, float, float, int);
GEOMETRIES(float)
GEOMETRIES(float4)
GEOMETRIES(int2)
GEOMETRIES(uchar4)
GEOMETRIES(unsigned short)

__global__ void gathers(float4 *out, int4 *whole, cudaTextureObject_t texture, float x, float y)
{
    out[0] = tex2Dgather<float4>(texture, x, y, 0);
    out[1] = tex2Dgather<float4>(texture, x, y, 1);
    out[2] = tex2Dgather<float4>(texture, x, y, 2);
    out[3] = tex2Dgather<float4>(texture, x, y, 3);
    whole[0] = tex2Dgather<int4>(texture, x, y);
}

__global__ void cube_gradients(float4 *out, cudaTextureObject_t texture, float x, float y, float z, int layer)
{
    out[0] = texCubemapGrad<float4>(texture, x, y, z, make_float4(0.1f, 0.2f, 0.3f, 0), make_float4(0.4f, 0.5f, 0.6f, 0));
    out[1] = texCubemapLayeredGrad<float4>(texture, x, y, z, layer, make_float4(0.1f, 0.2f, 0.3f, 0), make_float4(0.4f, 0.5f, 0.6f, 0));
}

__global__ void sparse_residency(float4 *out, bool *resident, cudaTextureObject_t texture, float x, float y)
{
#if __CUDA_ARCH__ >= 600
    out[0] = tex2D<float4>(texture, x, y, resident);
    out[1] = tex2DLod<float4>(texture, x, y, 1.0f, resident + 1);
    out[2] = tex3D<float4>(texture, x, y, x, resident + 2);
    out[3] = tex2DLayered<float4>(texture, x, y, 1, resident + 3);
    out[4] = tex2Dgather<float4>(texture, x, y, resident + 4, 1);
#endif
}

__global__ void queries(int *out, cudaTextureObject_t texture, float x, float y)
{
    int d;
    float4 f;
#define QUERY(what) asm volatile("txq." what ".b32 %0, [%1];" : "=r"(d) : "l"(texture)); *out++ = d;
    QUERY("width") QUERY("height") QUERY("depth") QUERY("channel_data_type") QUERY("channel_order") QUERY("normalized_coords")
    QUERY("array_size") QUERY("num_mipmap_levels") QUERY("num_samples")
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "l"(texture), "f"(x), "f"(y)); *out++ = static_cast<int>(f.x + f.w);
    asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "l"(texture), "r"(1), "r"(2)); *out++ = static_cast<int>(f.x + f.w);
    asm volatile("tex.1d.v4.s32.s32 {%0, _, _, _}, [%1, {%2}];" : "=r"(d) : "l"(texture), "r"(1)); *out++ = d;
    asm volatile("tex.level.a2d.v4.u32.f32 {%0, _, _, _}, [%1, {%2, %3, %3, %3}], %3;" : "=r"(d) : "l"(texture), "r"(1), "f"(x)); *out++ = d;
    asm volatile("tex.3d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %6, %6}];" : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "l"(texture), "f"(x), "f"(y)); *out++ = static_cast<int>(f.y);
    asm volatile("tld4.g.2d.v4.u32.f32 {%0, _, _, _}, [%1, {%2, %3}];" : "=r"(d) : "l"(texture), "f"(x), "f"(y)); *out++ = d;
}

#ifndef __CUDACC_RTC__
__global__ void sample(float *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex1Dfetch<float>(texture, static_cast<int>(threadIdx.x));
}

int main()
{
    float *memory = corpus::device_array<float>(64);
    const float value = 4.0f;
    cudaMemcpy(memory + 3, &value, sizeof(value), cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 64 * sizeof(float);
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    corpus::succeeded(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "cudaCreateTextureObject");
    float *out = corpus::device_array<float>(64);
    sample<<<1, 32>>>(out, texture);
    return corpus::finish("textures", corpus::read_back(out, 3) == 4.0f);
}
#endif
