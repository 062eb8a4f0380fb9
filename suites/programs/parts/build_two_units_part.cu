// The second unit of build_two_units.cu.
__device__ int weights[4] = {1, 10, 100, 3};
__constant__ int shift_amount = 7;

__device__ int weigh(int value, int which) {
    return value * weights[which];
}

__global__ void double_all(int* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}
