// Two kernels, one per unit, that work on the same structure of a shared header.
#pragma once

struct Particle {
    float position, velocity;
    int id;
};

constexpr int particle_count = 128;
constexpr float time_step = 0.25f;

__device__ __forceinline__ float moved(const Particle &p)
{
    return p.position + p.velocity * time_step;
}

__global__ void prepare(Particle *particles);
__global__ void advance(Particle *particles, int *histogram);
