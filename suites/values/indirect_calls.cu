// Calls through pointers: function tables, virtual functions, members, functors, switch tables, a small interpreter.
#include "support/check.cuh"

using Operation = int (*)(int, int);

__host__ __device__ int add_numbers(int a, int b) { return a + b; }
__host__ __device__ int subtract_numbers(int a, int b) { return a - b; }
__host__ __device__ int multiply_numbers(int a, int b) { return a * b; }
__host__ __device__ int larger_number(int a, int b) { return a > b ? a : b; }

__device__ Operation operation_table[4] = {add_numbers, subtract_numbers, multiply_numbers, larger_number};

__global__ void call_through_table(int n, const int *a, const int *b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = operation_table[(a[i] ^ b[i]) & 3](a[i], b[i]);
    }
}

class Shape {
  public:
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
    __device__ virtual int sides() const { return 0; }
};

class Square : public Shape {
  public:
    __device__ explicit Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
    __device__ int sides() const override { return 4; }

  private:
    int side;
};

class Box : public Shape {
  public:
    __device__ Box(int width, int height) : width(width), height(height) {}
    __device__ int area() const override { return width * height; }
    __device__ int sides() const override { return 4 + (width != height); }

  private:
    int width, height;
};

class Blob : public Shape {
  public:
    __device__ explicit Blob(int size) : size(size) {}
    __device__ int area() const override { return 3 * size; }

  private:
    int size;
};

// The objects are made and used by the same thread, in memory that the host provided.
__global__ void call_virtual_functions(int n, const int *kinds, unsigned char *memory, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    void *place = memory + i * 32;
    Shape *shape;
    switch (kinds[i] % 3) {
    case 0:
        shape = new (place) Square(kinds[i]);
        break;
    case 1:
        shape = new (place) Box(kinds[i], i % 7);
        break;
    default:
        shape = new (place) Blob(kinds[i]);
    }
    out[i] = shape->area() * 10 + shape->sides();
    shape->~Shape();
}

__host__ __device__ inline unsigned through_switch(unsigned x) {
    switch (x % 12) {
    case 0:
        return x + 17;
    case 1:
        return x * 3;
    case 2:
        return x ^ 0x55;
    case 3:
        return x >> 1;
    case 4:
        return ~x;
    case 5:
        return x * x;
    case 6:
        return x << 5;
    case 7:
        x += 9;
        [[fallthrough]];
    case 8:
        return x * 11;
    case 10:
        return x % 101;
    default:
        return 1;
    }
}

__global__ void branch_through_switch(int n, const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned value = in[i];
        for (int round = 0; round < 5; ++round) {
            value = through_switch(value);
        }
        out[i] = value;
    }
}

template <typename Function> __global__ void apply_functor(int n, Function function, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = function(i);
    }
}

struct Adder {
    int amount;
    __host__ __device__ int operator()(int i) const { return i * 5 + amount; }
    __host__ __device__ int up(int x) const { return x + amount; }
    __host__ __device__ int down(int x) const { return x - 2 * amount; }
};

__global__ void call_through_members(int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int (Adder::*member)(int) const = i % 3 == 0 ? &Adder::down : &Adder::up;
        Adder adder{i % 10};
        auto local = [&](int x) { return (adder.*member)(x) * 2; };
        out[i] = local(i);
    }
}

// Programs for a machine with a stack: a digit pushes it, letters compute.
__host__ __device__ inline int interpret(const char *program, int input) {
    int stack[8], top = 0;
    for (; *program != 0; ++program) {
        switch (*program) {
        case 'i':
            stack[top++] = input;
            break;
        case '+':
            --top;
            stack[top - 1] += stack[top];
            break;
        case '-':
            --top;
            stack[top - 1] -= stack[top];
            break;
        case '*':
            --top;
            stack[top - 1] *= stack[top];
            break;
        case 'd':
            stack[top] = stack[top - 1];
            ++top;
            break;
        case 's': {
            int t = stack[top - 1];
            stack[top - 1] = stack[top - 2];
            stack[top - 2] = t;
            break;
        }
        default:
            stack[top++] = *program - '0';
        }
    }
    return stack[0];
}

__global__ void interpret_programs(int n, const char *programs, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = interpret(programs + i % 4 * 16, i);
    }
}

int main() {
    const int n = 3000, blocks = (n + 127) / 128;
    auto a = check::integers<int>(n, 271, -10000, 10000), b = check::integers<int>(n, 272, -10000, 10000);
    {
        check::DeviceBuffer<int> da(a), db(b), dout(n);
        call_through_table<<<blocks, 128>>>(n, da, db, dout);
        const Operation table[4] = {add_numbers, subtract_numbers, multiply_numbers, larger_number};
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = table[(a[i] ^ b[i]) & 3](a[i], b[i]);
        }
        check::exact("call_through_table", dout.to_host(), out);
    }
    {
        auto kinds = check::integers<int>(n, 273, 0, 100);
        check::DeviceBuffer<int> dkinds(kinds), dout(n);
        check::DeviceBuffer<unsigned char> memory(n * 32);
        call_virtual_functions<<<blocks, 128>>>(n, dkinds, memory, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            int k = kinds[i];
            out[i] = k % 3 == 0 ? k * k * 10 + 4 : k % 3 == 1 ? k * (i % 7) * 10 + 4 + (k != i % 7) : 30 * k;
        }
        check::exact("call_virtual_functions", dout.to_host(), out);
    }
    {
        auto in = check::patterns<unsigned>(n, 274);
        check::DeviceBuffer<unsigned> din(in), dout(n);
        branch_through_switch<<<blocks, 128>>>(n, din, dout);
        std::vector<unsigned> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i];
            for (int round = 0; round < 5; ++round) {
                out[i] = through_switch(out[i]);
            }
        }
        check::exact("branch_through_switch", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dout(n);
        apply_functor<Adder><<<blocks, 128>>>(n, Adder{12345}, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = i * 5 + 12345;
        }
        check::exact("apply_functor", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dout(n);
        call_through_members<<<blocks, 128>>>(n, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = (i % 3 == 0 ? i - 2 * (i % 10) : i + i % 10) * 2;
        }
        check::exact("call_through_members", dout.to_host(), out);
    }
    {
        std::vector<char> programs(64);
        const char *text[4] = {"id*3+", "i5-d*", "ii2*s-", "i1+di*4*s-"};
        for (int p = 0; p < 4; ++p) {
            std::strcpy(&programs[p * 16], text[p]);
        }
        check::DeviceBuffer<char> dprograms(programs);
        check::DeviceBuffer<int> dout(n);
        interpret_programs<<<blocks, 128>>>(n, dprograms, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = interpret(&programs[i % 4 * 16], i);
        }
        check::exact("interpret_programs", dout.to_host(), out);
    }
    return check::finish();
}
