// Function pointers in tables, parameters and members; virtual calls, multiple and virtual inheritance; lambdas.
#include "support/launch.cuh"

using operation = int (*)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ float real(float a) { return a * 0.5f; }

__device__ operation table[] = {add, subtract, multiply, nullptr};
__constant__ operation constant_table[3] = {multiply, add, subtract};
__device__ float (*single)(float) = real;

__global__ void tables(int *out, int which)
{
    operation chosen = table[which % 3];
    out[threadIdx.x] = chosen(static_cast<int>(threadIdx.x), 3) + constant_table[which % 3](5, 6) + static_cast<int>(single(8.0f));
}

struct Dispatch {
    operation call;
    long long (*wide)(long long, const Dispatch *);
};

__device__ long long wide_call(long long value, const Dispatch *self)
{
    return value * self->call(2, 3);
}

__global__ void passed_as_parameter(long long *out, Dispatch dispatch)
{
    out[threadIdx.x] = dispatch.wide(threadIdx.x, &dispatch);
}

__global__ void fill(Dispatch *dispatch)
{
    dispatch->call = threadIdx.x == 0 ? add : multiply;
    dispatch->wide = wide_call;
}

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual int corners(int extra) const { return extra; }
    __device__ virtual ~Shape() {}
};

struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners(int extra) const override { return 4 + extra; }
};

struct Named {
    int name = 3;
    __device__ virtual int id() const { return name; }
};

struct Circle : Shape, Named {
    float radius;
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
    __device__ int id() const override { return 100 + name; }
};

__device__ __noinline__ float total(const Shape *const *shapes, int n)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += shapes[i]->area() + static_cast<float>(shapes[i]->corners(1));
    }
    return sum;
}

__global__ void virtual_calls(float *out)
{
    Shape *shapes[3] = {new Square(2.0f), new Circle(1.0f), new Square(static_cast<float>(threadIdx.x))};
    const Named *named = static_cast<Circle *>(shapes[1]);
    out[threadIdx.x] = total(shapes, 3) + static_cast<float>(named->id());
    for (Shape *shape : shapes) {
        delete shape;
    }
}

struct Counter {
    int value;
    __device__ __noinline__ int step(int by) { return value += by; }
    __device__ __noinline__ int back(int by) { return value -= by; }
};

__global__ void pointers_to_members(int *out, int which)
{
    Counter counter{5};
    int (Counter::*method)(int) = which ? &Counter::step : &Counter::back;
    int Counter::*field = &Counter::value;
    out[threadIdx.x] = (counter.*method)(2) + counter.*field;
}

template <typename Function> __device__ __noinline__ int apply(Function function, int value)
{
    return function(value);
}

__global__ void lambdas(int *out, int captured)
{
    int local = 3;
    auto by_value = [=](int x) { return x + captured; };
    auto by_reference = [&local](int x) mutable { return local += x; };
#ifdef __CUDACC_RTC__
    // NVRTC takes the call operator of a generic lambda for a host function.
    auto generic = [captured](float x, float y) { return x * y + static_cast<float>(captured); };
#else
    auto generic = [captured](auto x, auto y) { return x * y + captured; };
#endif
    int (*plain)(int) = [](int x) { return x - 1; };
    out[threadIdx.x] = apply(by_value, 1) + apply(by_reference, 2) + static_cast<int>(generic(3, 4)) + static_cast<int>(generic(1.5f, 2.0f)) + plain(local);
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(64);
    float *reals = corpus::device_array<float>(64);
    virtual_calls<<<1, 32>>>(reals);
    pointers_to_members<<<1, 32>>>(out, 1);
    lambdas<<<1, 32>>>(out, 7);
    tables<<<1, 32>>>(out, 0);
    return corpus::finish("indirect_calls", corpus::read_back(out) == 3 + 30 + 4);
}
#endif
