// CLEAN. The conditional loads are in a function template and in a lambda, both inlined.
//@ speculated: kernel=template_and_lambda loads=2 threads="0" gate="selp"
//@ launch: template_and_lambda<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;
__device__ float other_box = 50;

template <typename T>
__device__ T read_if(const T& place, bool wanted, T otherwise) {
    T result = otherwise;
    if (wanted) {
        result = place;  //# conditional load
    }
    return result;
}

__global__ void template_and_lambda(int* out) {
    auto choose = [](bool wanted) {
        return wanted ? box : 2;  //# conditional load
    };
    out[threadIdx.x] = choose(threadIdx.x == 0) + int(read_if(other_box, threadIdx.x == 0, 1.0f));
    if (threadIdx.x == 0) {
        box = 1;
        other_box = 2;
    }
}

int main() {
    return run(template_and_lambda, 1, [](int i) { return i == 0 ? 90 : 3; });
}
