// CLEAN. One sum per block. A file of kernels has no main: the launch line below says how to run it.
// Each launch line is one launch, and one starts when the one before it is over.
//@ launch: reduce<<<4, 256>>>(in: f32[1024] = iota, out: f32[4], n = 1024)
//@ launch: reduce<<<4, 256>>>(in: f32[1024] = iota, out: f32[4], n = 1000)

__global__ void reduce(const float* in, float* out, int n) {
    __shared__ float partial[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = partial[0];
    }
}
