// Kernels and a function, for tests that look into compiled files; nothing of it is run.
template <class T>
__global__ void fill(T *out, T value) {
    out[threadIdx.x] = value;
}

__device__ __noinline__ int twice(int value) {
    return 2 * value;
}

extern "C" __global__ void plain(int *out) {
    out[blockIdx.x] = twice(out[threadIdx.x]);
}

int main() {
    fill<<<1, 64>>>(static_cast<int *>(nullptr), 1);
    fill<<<1, 64>>>(static_cast<float *>(nullptr), 1.0f);
    plain<<<1, 64>>>(nullptr);
    return 0;
}
