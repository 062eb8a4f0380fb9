// Kernels launched by kernels: the device runtime, fire-and-forget and tail streams.
//@ architectures: 75 80 90 90a 100 120
//@ modes: rdc
#include "support/launch.cuh"

__global__ void child(int *out, int value)
{
    out[threadIdx.x] += value;
}

template <typename T> __global__ void typed_child(T *out)
{
    out[0] += T(1);
}

__global__ void parent(int *out, float *real)
{
    if (threadIdx.x == 0) {
        child<<<1, 32>>>(out, 1);
        child<<<dim3(1, 1), dim3(8, 2), 64, cudaStreamFireAndForget>>>(out + 32, 2);
        typed_child<float><<<1, 1, 0, cudaStreamTailLaunch>>>(real);
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        child<<<1, 1, 0, stream>>>(out + 64, 3);
        cudaStreamDestroy(stream);
        if (cudaGetLastError() != cudaSuccess) {
            printf("launch failed\n");
        }
    }
}

int main()
{
    int *out = corpus::device_array<int>(128);
    parent<<<1, 32>>>(out, corpus::device_array<float>(1));
    const int status = corpus::finish("dynamic_parallelism");
    return status != 0 ? status : corpus::read_back(out) != 1;
}
