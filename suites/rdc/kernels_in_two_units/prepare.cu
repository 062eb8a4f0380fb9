#include "stages.cuh"

__global__ void prepare(Particle *particles)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    particles[i] = Particle{static_cast<float>(i), 4.0f, i};
    particles[i].position = moved(particles[i]);
}
