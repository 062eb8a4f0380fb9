// Thrust: algorithms in streams of the program's own, some of which do not wait for their end.
#include "thrust_support.h"
#include <numeric>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct Halve {
    __host__ __device__ uint32_t operator()(uint32_t value) const { return value / 2; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> a = numbers<uint32_t>(count, 1, 1000000), b = numbers<uint32_t>(count, 2, 1000000);
    thrust::device_vector<uint32_t> device_a = to_device(a), device_b = to_device(b);
    cudaStream_t one, two;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    thrust::transform(thrust::cuda::par_nosync.on(one), device_a.begin(), device_a.end(), device_a.begin(), Halve());
    thrust::sort(thrust::cuda::par_nosync.on(one), device_a.begin(), device_a.end());
    thrust::sort(thrust::cuda::par_nosync.on(two), device_b.begin(), device_b.end());
    uint32_t sum = thrust::reduce(thrust::cuda::par.on(two), device_b.begin(), device_b.end(), 0u);
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaStreamSynchronize(two));
    for (uint32_t& value : a) {
        value /= 2;
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    expect("first_stream", to_host(device_a), a);
    expect("second_stream", to_host(device_b), b);
    expect("sum", sum, std::accumulate(b.begin(), b.end(), 0u));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    return finish();
}
