// CLEAN. Fields of one struct under one condition; the compiler splits or joins the loads.
//@ speculated: kernel=struct_fields loads=2 threads="0" gate="selp"
//@ launch: struct_fields<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

struct Record {
    int count;
    float weight;
    int size;
};

__global__ void struct_fields(int* out) {
    __shared__ Record record;
    if (threadIdx.x == 0) {
        record = Record{4, 0.5f, 32};
    }
    __syncthreads();
    int value = 1;
    if (threadIdx.x == 0) {
        value = record.count + record.size;  //# conditional load
    }
    out[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        record.count = 50;
        record.size = 60;
    }
    __syncthreads();
    out[threadIdx.x] += record.count;
}

int main() {
    return run(struct_fields, 1, [](int i) { return (i == 0 ? 36 : 1) + 50; });
}
