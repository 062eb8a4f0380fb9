// cudaLaunchKernel with an array of addresses of the arguments: structures, pointers, and many sizes.
// verdict: clean
#include "check.h"

struct Point {
    double x;
    float y;
    short z;
    char tag[3];
};

__global__ void mix(Point point, char c, short s, int i, long long l, float f, double d, const int* table, double* out) {
    double value = point.x + point.y + point.z + point.tag[2] + c + s + i + l + f + d;
    out[blockIdx.x * blockDim.x + threadIdx.x] = value + table[threadIdx.x];
}

int main() {
    int table[32];
    for (int i = 0; i < 32; i++) {
        table[i] = i;
    }
    int* device_table;
    double* out;
    CHECK(cudaMalloc(&device_table, sizeof table));
    CHECK(cudaMalloc(&out, 64 * sizeof(double)));
    CHECK(cudaMemcpy(device_table, table, sizeof table, cudaMemcpyHostToDevice));

    Point point = {1.5, 2.25f, 3, {'a', 'b', 4}};
    char c = 5;
    short s = -6;
    int i = 70;
    long long l = 1ll << 40;
    float f = 0.5f;
    double d = 0.125;
    const int* table_argument = device_table;
    void* arguments[] = {&point, &c, &s, &i, &l, &f, &d, &table_argument, &out};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(mix), dim3(2), dim3(32), arguments, 0, nullptr));
    CHECK(cudaLaunchKernel(mix, dim3(2), dim3(32), arguments));  // the same, by the C++ wrapper
    double host[64];
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%.3f %.3f\n", host[0], host[63]);
    CHECK(cudaFree(device_table));
    CHECK(cudaFree(out));
    return 0;
}
