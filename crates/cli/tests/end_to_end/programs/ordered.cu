// Two kernels on two streams use the same memory; by the argument, a third kernel between them orders them or not.
#include <cstring>

__global__ void first(int *numbers) {
    numbers[threadIdx.x] = 1;
}

__global__ void between(int *others) {
    others[threadIdx.x] = 2;
}

__global__ void last(int *numbers) {
    numbers[threadIdx.x] += 1;
}

int main(int, char **arguments) {
    int *numbers;
    cudaMalloc(&numbers, 64 * sizeof(int));
    int *others = numbers + 32;
    cudaStream_t one, other;
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    first<<<1, 32, 0, one>>>(numbers);
    if (!strcmp(arguments[1], "default-stream")) {
        between<<<1, 32>>>(others);
    } else {
        between<<<1, 32, 0, one>>>(others);
    }
    if (!strcmp(arguments[1], "event")) {
        cudaEvent_t event;
        cudaEventCreate(&event);
        cudaEventRecord(event, one);
        cudaStreamWaitEvent(other, event);
    }
    last<<<1, 32, 0, other>>>(numbers);
    return cudaDeviceSynchronize();
}
