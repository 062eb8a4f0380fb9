// Variables in every state space, their initialisers, addresses of variables and functions in data, __managed__.
#include "support/launch.cuh"

struct Pair {
    int first;
    const double *second;
};

__device__ int zeroed[100];
__device__ int one = 1;
__device__ int several[4] = {1, -2, 3};
__device__ unsigned char bytes[3] = {0xff, 1, 2};
__device__ short shorts[] = {-1, 2, -3};
__device__ float singles[] = {1.5f, -0.0f, 3.4e38f, 1e-45f};
__device__ double doubles[] = {0.1, -1e300};
__device__ long long wide[2] = {-1, 0x7fffffffffffffffll};
__device__ bool flags[] = {true, false, true};
__device__ char text[] = "text with \"quotes\" and \n newline";
__device__ const char *pointer_to_text = text;
__device__ int *pointer = &one;
__device__ int *pointer_inside = &several[2];
__device__ const void *mixed[] = {&one, doubles + 1, nullptr, text + 3};
__device__ Pair pair = {7, &doubles[1]};
__device__ Pair pairs[2] = {{1, doubles}, {2, nullptr}};
__device__ unsigned long long as_number = 5;
__device__ float4 vector = {1, 2, 3, 4};
__device__ alignas(128) int aligned_to_128 = 3;
__device__ volatile int watched = 4;
__constant__ float coefficients[16] = {1, 2, 4, 8};
__constant__ int *constant_pointer = &one;
__constant__ Pair constant_pair = {9, doubles};
static __device__ int internal = 11;
#ifndef __CUDACC_RTC__
__managed__ int managed = 5;
__managed__ float managed_array[8] = {1, 2};
#endif
const int host_and_device = 17;
constexpr float scale = 2.5f;

namespace nested {
namespace deeper {
__device__ int counter = 3;
} // namespace deeper
} // namespace nested

__device__ int called(int x)
{
    return x + 1;
}

__device__ int (*function)(int) = called;
__constant__ int (*constant_function)(int) = called;

struct Entry {
    int key;
    int (*handler)(int);
    const char *name;
};

__device__ Entry entries[] = {{1, called, "first"}, {2, nullptr, "second"}};

template <typename T> __device__ T template_variable = T(3);

__device__ __noinline__ int counted()
{
    static int calls = 10;
    static __shared__ int in_block;
    in_block = ++calls;
    return in_block;
}

__global__ void use_everything(double *out, int i)
{
    double sum = zeroed[i] + one + several[i & 3] + bytes[i % 3] + shorts[i % 3] + singles[i & 3] + doubles[i & 1] + static_cast<double>(wide[i & 1]) + flags[i % 3];
    sum += text[i] + pointer_to_text[i] + *pointer + *pointer_inside + *static_cast<const int *>(mixed[0]);
    sum += pair.first + *pair.second + pairs[i & 1].first + static_cast<double>(as_number) + vector.z + aligned_to_128 + watched;
    sum += coefficients[i & 15] + *constant_pointer + constant_pair.first + internal;
    sum += host_and_device + scale + nested::deeper::counter + function(3) + constant_function(4) + entries[i & 1].key + entries[0].handler(2);
    sum += template_variable<int> + template_variable<double> + counted();
#ifndef __CUDACC_RTC__
    sum += managed + managed_array[i & 7];
    managed = static_cast<int>(sum);
#endif
    internal += 1;
    watched = i;
    out[threadIdx.x] = sum;
}

#ifndef __CUDACC_RTC__
int main()
{
    double *out = corpus::device_array<double>(32);
    use_everything<<<1, 1>>>(out, 0);
    int value = 0;
    corpus::succeeded(cudaMemcpyFromSymbol(&value, one, sizeof(value)), "cudaMemcpyFromSymbol");
    return corpus::finish("global_variables", value == 1);
}
#endif
