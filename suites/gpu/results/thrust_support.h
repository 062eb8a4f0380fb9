// Vectors of Thrust and of the host, for the programs that use Thrust.
#pragma once
#include "support.h"
#include <thrust/copy.h>
#include <thrust/device_vector.h>

template <typename T>
thrust::device_vector<T> to_device(const std::vector<T>& values) {
    return thrust::device_vector<T>(values.begin(), values.end());
}

template <typename T>
std::vector<T> to_host(const thrust::device_vector<T>& values, size_t count) {
    std::vector<T> host(count);
    thrust::copy(values.begin(), values.begin() + count, host.begin());
    return host;
}

template <typename T>
std::vector<T> to_host(const thrust::device_vector<T>& values) {
    return to_host(values, values.size());
}
