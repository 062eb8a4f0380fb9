// Thrust: elements that fit and those that do not, apart and in one array.
#include "thrust_support.h"
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/replace.h>

struct IsThird {
    __host__ __device__ bool operator()(int value) const { return value % 3 == 0; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<int> values = numbers<int>(count, 1, 1000000), fits, others, both, replaced = values;
    for (int& value : replaced) {
        (IsThird()(value) ? fits : others).push_back(value);
        value = IsThird()(value) ? -1 : value;
    }
    both = fits;
    both.insert(both.end(), others.begin(), others.end());
    thrust::device_vector<int> in = to_device(values), out(count), rest(count);
    auto end = thrust::copy_if(in.begin(), in.end(), out.begin(), IsThird());
    expect("copy_if", to_host(out, end - out.begin()), fits);
    end = thrust::remove_copy_if(in.begin(), in.end(), out.begin(), IsThird());
    expect("remove_copy_if", to_host(out, end - out.begin()), others);
    auto ends = thrust::stable_partition_copy(in.begin(), in.end(), out.begin(), rest.begin(), IsThird());
    expect("partition_fits", to_host(out, ends.first - out.begin()), fits);
    expect("partition_others", to_host(rest, ends.second - rest.begin()), others);
    thrust::device_vector<int> in_place = in;
    thrust::stable_partition(in_place.begin(), in_place.end(), IsThird());
    expect("stable_partition", to_host(in_place), both);
    thrust::replace_if(in.begin(), in.end(), IsThird(), -1);
    expect("replace_if", to_host(in), replaced);
    return finish();
}
