// Shared memory: static, dynamic, several dynamic views, arrays of structures, volatile, union, alignment.
#include "support/launch.cuh"

struct Record {
    double value;
    int key;
    char tag;
};

__global__ void static_arrays(float *out)
{
    __shared__ float tile[32][33];
    __shared__ Record records[8];
    __shared__ alignas(64) char bytes[100];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = out[y * 32 + x];
    if (y == 0 && x < 8) {
        records[x] = Record{1.0 * x, x, 'r'};
        bytes[x * 3] = static_cast<char>(x);
    }
    __syncthreads();
    out[y * 32 + x] = tile[x][y] + static_cast<float>(records[x & 7].value) + bytes[(x & 7) * 3];
}

extern __shared__ int dynamic[];

__global__ void dynamic_views(int *out, int n)
{
    double *wide = reinterpret_cast<double *>(dynamic);
    int *whole = reinterpret_cast<int *>(wide + n);
    char *narrow = reinterpret_cast<char *>(whole + n);
    wide[threadIdx.x] = threadIdx.x;
    whole[threadIdx.x] = static_cast<int>(threadIdx.x) * 2;
    narrow[threadIdx.x] = static_cast<char>(threadIdx.x);
    __syncthreads();
    const int other = n - 1 - static_cast<int>(threadIdx.x);
    out[threadIdx.x] = static_cast<int>(wide[other]) + whole[other] + narrow[other];
}

template <typename T> __global__ void typed_dynamic(T *out)
{
    extern __shared__ __align__(16) unsigned char raw[];
    T *shared = reinterpret_cast<T *>(raw);
    shared[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

template __global__ void typed_dynamic<double>(double *);
template __global__ void typed_dynamic<uchar4>(uchar4 *);
template __global__ void typed_dynamic<int4>(int4 *);

__global__ void volatile_reduction(int *out)
{
    __shared__ volatile int partial[64];
    partial[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int offset = 32; offset > 0; offset >>= 1) {
        int value = 0;
        if (threadIdx.x < static_cast<unsigned>(offset)) {
            value = partial[threadIdx.x] + partial[threadIdx.x + offset];
        }
        __syncthreads();
        if (threadIdx.x < static_cast<unsigned>(offset)) {
            partial[threadIdx.x] = value;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *out = partial[0];
    }
}

union Overlap {
    float real[4];
    int whole[4];
    int4 quad;
};

__global__ void unions(int4 *out)
{
    __shared__ Overlap overlap[32];
    overlap[threadIdx.x].real[0] = 1.0f;
    overlap[threadIdx.x].whole[1] = 2;
    __syncthreads();
    out[threadIdx.x] = overlap[threadIdx.x ^ 1].quad;
}

__device__ __noinline__ void writes_through(int *generic, int value)
{
    *generic = value;
}

// A pointer whose space is not known until run time.
__global__ void generic_pointers(int *out, int which)
{
    __shared__ int shared;
    int local = 0;
    int *target = which == 0 ? &shared : which == 1 ? &local : out;
    writes_through(target, 9);
    __syncthreads();
    out[1] = shared + local + __isShared(target) + __isGlobal(target) + __isLocal(target) + __isConstant(target);
#if __CUDA_ARCH__ >= 700
    out[2] = __isGridConstant(target);
#endif
    out[3] = static_cast<int>(__cvta_generic_to_shared(&shared) + __cvta_generic_to_global(out) + __cvta_generic_to_local(&local));
    out[4] = *static_cast<int *>(__cvta_shared_to_generic(__cvta_generic_to_shared(&shared)));
}

#ifndef __CUDACC_RTC__
int main()
{
    static_arrays<<<1, dim3(32, 32)>>>(corpus::device_array<float>(1024));
    dynamic_views<<<1, 32, 32 * 13>>>(corpus::device_array<int>(32), 32);
    int *out = corpus::device_array<int>(8);
    unions<<<1, 32>>>(corpus::device_array<int4>(32));
    volatile_reduction<<<1, 64>>>(out);
    return corpus::finish("shared_memory", corpus::read_back(out) == 2016);
}
#endif
