// Lambdas of two units through one kernel template. Compile with --expt-extended-lambda.
//@ flags: --expt-extended-lambda
#include <cstdio>

#include "apply.cuh"

int main()
{
    int *out = nullptr;
    cudaMalloc(&out, 8 * sizeof(int));
    const int there = run_with_lambda(out, 100);
    const int offset = 3;
    apply<<<1, 8>>>(out, [=] __device__(int i) { return c_function(scaled(i)) + offset + static_cast<int>(settings::factor * 2.0f); });
    int here = 0;
    cudaMemcpy(&here, out + 7, sizeof(here), cudaMemcpyDeviceToHost);
    if (there != 156 || here != 56 - 4 + 3 + 3) {
        std::printf("wrong %d %d\n", there, here);
        return 1;
    }
    std::printf("ok %d %d\n", there, here);
    return 0;
}
