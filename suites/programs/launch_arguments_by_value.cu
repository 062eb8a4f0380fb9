// Arguments are copied at the launch: the host may change its own at once, and a large structure fits.
// verdict: clean
#include "check.h"

struct Table {
    int values[512];
};

__global__ void look_up(const __grid_constant__ Table table, int* out) {
    out[threadIdx.x] = table.values[(threadIdx.x * 7) % 512];
}

int main() {
    int* out;
    CHECK(cudaMalloc(&out, 2 * 256 * sizeof(int)));
    static Table table;
    for (int i = 0; i < 512; i++) {
        table.values[i] = i * i;
    }
    look_up<<<1, 256>>>(table, out);
    CHECK(cudaGetLastError());
    for (int& value : table.values) {
        value = -1;
    }
    look_up<<<1, 256>>>(table, out + 256);
    CHECK(cudaGetLastError());
    int host[512];
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d\n", host[1], host[255], host[256]);
    CHECK(cudaFree(out));
    return 0;
}
