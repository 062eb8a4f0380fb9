// Thrust: vectors, transformations, a sum, a sort by key, unique numbers, and a scan.
// verdict: clean
// flags: --extended-lambda
#include "check.h"
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

int main() {
    constexpr int COUNT = 1000;
    thrust::device_vector<int> numbers(COUNT), squares(COUNT), different(COUNT);
    thrust::sequence(numbers.begin(), numbers.end());
    thrust::transform(numbers.begin(), numbers.end(), squares.begin(), [] __device__(int n) { return n * n % 101; });
    std::printf("sum %d\n", thrust::reduce(squares.begin(), squares.end(), 0, thrust::plus<int>()));
    thrust::stable_sort_by_key(squares.begin(), squares.end(), numbers.begin());
    thrust::host_vector<int> sorted = squares, places = numbers;
    std::printf("smallest %d at %d, largest %d at %d\n", sorted[0], places[0], sorted[COUNT - 1], places[COUNT - 1]);
    // Not in place: thrust::unique reads with ld.global.nc what the same launch writes.
    auto end = thrust::unique_copy(squares.begin(), squares.end(), different.begin());
    std::printf("different numbers %d\n", static_cast<int>(end - different.begin()));
    thrust::inclusive_scan(different.begin(), end, different.begin());
    int last = *(end - 1);
    std::printf("their sum %d\n", last);
    return 0;
}
