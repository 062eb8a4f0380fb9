// CLEAN. A function that is not inlined, and a member function: the guard comes from a parameter.
//@ speculated: kernel=read_if loads=1 threads="0" gate="selp"
//@ speculated: kernel=Counter::get_if loads=1 threads="0" gate="selp"
//@ launch: device_function<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

struct Counter {
    int value;
    __device__ __noinline__ int get_if(bool wanted) const {
        int result = 1;
        if (wanted) {
            result = value;  //# conditional load
        }
        return result;
    }
};
__device__ Counter counter = {50};

__device__ __noinline__ int read_if(const int& place, bool wanted) {
    return wanted ? place : 3;  //# conditional load
}

__global__ void device_function(int* out) {
    out[threadIdx.x] = read_if(box, threadIdx.x == 0) + counter.get_if(threadIdx.x == 0);
    if (threadIdx.x == 0) {
        box = 2;
        counter.value = 3;
    }
}

int main() {
    return run(device_function, 1, [](int i) { return i == 0 ? 90 : 4; });
}
