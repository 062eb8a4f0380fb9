// CLEAN. Atomics of gpu scope are morally strong in launches of different streams, too.
//@ launch: count<<<2, 64, stream=1>>>()
//@ launch: count<<<2, 64, stream=2>>>()

__device__ unsigned counter;

__global__ void count() {
    atomicAdd(&counter, 1);
}
