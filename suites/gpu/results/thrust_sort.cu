// Thrust: sorts with the usual order, the reverse of it, and one of our own.
#include "thrust_support.h"
#include <functional>
#include <thrust/functional.h>
#include <thrust/sort.h>

struct BySquare {
    __host__ __device__ bool operator()(int a, int b) const {
        return static_cast<long long>(a) * a < static_cast<long long>(b) * b;
    }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<int> values = numbers<int>(count, 1, 200000);
    for (int& value : values) {
        value -= 100000;
    }
    std::vector<int> up = values, down = values, square = values;
    std::sort(up.begin(), up.end());
    std::sort(down.begin(), down.end(), std::greater<int>());
    std::stable_sort(square.begin(), square.end(), BySquare());
    thrust::device_vector<int> device(values.begin(), values.end());
    thrust::sort(device.begin(), device.end());
    expect("sort", to_host(device), up);
    device.assign(values.begin(), values.end());
    thrust::sort(device.begin(), device.end(), thrust::greater<int>());
    expect("sort_descending", to_host(device), down);
    device.assign(values.begin(), values.end());
    thrust::stable_sort(device.begin(), device.end(), BySquare());
    expect("stable_sort_by_square", to_host(device), square);
    expect("is_sorted", static_cast<int>(thrust::is_sorted(device.begin(), device.end(), BySquare())), 1);
    return finish();
}
