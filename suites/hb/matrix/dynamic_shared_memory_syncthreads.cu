// CLEAN. Dynamic shared memory with a barrier.
//@ launch: exchange<<<2, 64, 256>>>(out: u32[64])

extern __shared__ unsigned dynamic[];

__global__ void exchange(unsigned* out) {
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (blockIdx.x == 0) {
        out[threadIdx.x] = dynamic[63 - threadIdx.x];
    }
}
