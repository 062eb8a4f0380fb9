#include "stages.cuh"

__global__ void __launch_bounds__(64) advance(Particle *particles, int *histogram)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    particles[i].position = moved(particles[i]);
    atomicAdd(&histogram[static_cast<int>(particles[i].position) % 4], 1);
}
