// A second unit for programs that are linked on the device, beside units.cu.
extern __device__ int twice(int value);

__global__ void part(int *out) {
    out[threadIdx.x] = twice(3);
}
