// thrust::reduce_by_key over equal neighbouring keys.
//@ architectures: 75 80 90 90a 100 120
#include <thrust/device_vector.h>
#include <thrust/reduce.h>

#include "support/launch.cuh"

int main()
{
    thrust::device_vector<int> keys(1000, 7), values(1000, 2), out_keys(1000), out_values(1000);
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), out_keys.begin(), out_values.begin());
    return corpus::finish("thrust_reduce_by_key", ends.first - out_keys.begin() == 1 && out_values[0] == 2000);
}
