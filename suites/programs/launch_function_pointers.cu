// Functions of the device called through pointers: a table on the device, a pointer copied from a symbol, virtual functions.
// verdict: clean
#include "check.h"

using Operation = int (*)(int, int);

__device__ int add(int a, int b) {
    return a + b;
}
__device__ int multiply(int a, int b) {
    return a * b;
}
__device__ int larger(int a, int b) {
    return a > b ? a : b;
}
__device__ Operation operations[3] = {add, multiply, larger};
__device__ Operation chosen = larger;

struct Shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Stripe : Shape {
    int length;
    __device__ explicit Stripe(int length) : length(length) {}
    __device__ int area() const override { return 2 * length; }
};

__global__ void apply_table(int* out) {
    out[threadIdx.x] = operations[threadIdx.x % 3](threadIdx.x, 10);
}

__global__ void apply_argument(int* out, Operation operation) {
    out[threadIdx.x] = operation(out[threadIdx.x], 100);
}

__global__ void measure(int* out) {
    Square square(threadIdx.x);
    Stripe stripe(threadIdx.x);
    const Shape* shape = threadIdx.x % 2 == 0 ? static_cast<const Shape*>(&square) : &stripe;
    out[threadIdx.x] += shape->area();
}

int main() {
    int* out;
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    apply_table<<<1, 64>>>(out);
    CHECK(cudaGetLastError());
    Operation operation;
    CHECK(cudaMemcpyFromSymbol(&operation, chosen, sizeof operation));
    apply_argument<<<1, 64>>>(out, operation);
    CHECK(cudaGetLastError());
    measure<<<1, 64>>>(out);
    CHECK(cudaGetLastError());
    int host[64];
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d %d\n", host[30], host[31], host[32], host[61]);
    CHECK(cudaFree(out));
    return 0;
}
