// Names: deep namespaces, long mangled template names, anonymous namespaces, operators, lambdas, concepts of scope.
//@ flags: --expt-extended-lambda
#include "support/launch.cuh"

namespace a_rather_long_namespace_name {
inline namespace version_one {
namespace {

template <typename First, typename Second, int Count = 3> struct Composite {
    First first;
    Second second;
    template <typename Function> __device__ __noinline__ auto visit(Function function) -> decltype(function(first, second))
    {
        return function(first, second);
    }
};

} // namespace

template <typename... Types> struct List {};

template <template <typename...> class Container, typename Value, unsigned long long Big, bool... Flags>
__global__ void kernel_with_a_name_that_goes_on_for_a_while(Value *out, Container<Value, Value> container, List<int, List<char, double>, Value (*)(int, Value)> unused)
{
    (void)unused;
    out[threadIdx.x] = container.visit([](Value a, Value b) { return a + b + static_cast<Value>(Big); }) + (0 + ... + Flags);
}

template <typename A, typename B> using Pair = Composite<A, B, 7>;

struct Vector {
    float x, y;
    __device__ __noinline__ Vector operator+(const Vector &other) const { return {x + other.x, y + other.y}; }
    __device__ __noinline__ Vector &operator+=(const Vector &other) { x += other.x; y += other.y; return *this; }
    __device__ __noinline__ float operator()(int i) const { return i ? y : x; }
    __device__ __noinline__ explicit operator bool() const { return x != 0; }
    __device__ __noinline__ float &operator[](int i) { return i ? y : x; }
};

__device__ __noinline__ Vector operator*(float s, Vector v)
{
    return {s * v.x, s * v.y};
}

__device__ __noinline__ int overloaded(int a) { return a; }
__device__ __noinline__ int overloaded(float a) { return static_cast<int>(a); }
__device__ __noinline__ int overloaded(const int *const *a, int (&b)[3]) { return **a + b[1]; }

} // namespace version_one
} // namespace a_rather_long_namespace_name

namespace names = a_rather_long_namespace_name;

template <typename Function> __global__ void call(float *out, Function function)
{
    out[threadIdx.x] = function(threadIdx.x);
}

__global__ void use(float *out, int *whole)
{
    names::Vector v{1, 2};
    v += 3.0f * (v + v);
    out[threadIdx.x] = v(1) + (v ? 1.0f : v[0]);
    int values[3] = {1, 2, whole[0]};
    const int *pointer = whole;
    whole[threadIdx.x] = names::overloaded(3) + names::overloaded(2.5f) + names::overloaded(&pointer, values);
}

template <typename First, typename Second> using Two = names::Composite<First, Second>;

__global__ void wrapper(float *out)
{
    names::Pair<float, int> pair{1.0f, 2};
    out[threadIdx.x] = pair.visit([&](float a, int b) { return a * b + out[0]; });
    Two<Two<double, char>, Two<long long, float *>> nested{};
    out[1] = static_cast<float>(nested.visit([](Two<double, char> a, Two<long long, float *> b) { return a.first + static_cast<double>(b.first); }));
}

#ifndef __CUDACC_RTC__
int main()
{
    float *out = corpus::device_array<float>(32);
    const float factor = 2.0f;
    use<<<1, 1>>>(out, corpus::device_array<int>(32));
    wrapper<<<1, 1>>>(out);
    call<<<1, 32>>>(out, [=] __device__(unsigned i) { return static_cast<float>(i) * factor; });
    call<<<1, 32>>>(out, [factor] __host__ __device__(int i) { return static_cast<float>(i) + factor; });
    return corpus::finish("long_names_and_templates", corpus::read_back(out, 3) == 5.0f);
}
#endif
