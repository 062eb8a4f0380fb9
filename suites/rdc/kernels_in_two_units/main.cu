// Kernels defined in two other units, launched from the third.
#include <cstdio>

#include "stages.cuh"

int main()
{
    Particle *particles = nullptr;
    int *histogram = nullptr;
    cudaMalloc(&particles, particle_count * sizeof(Particle));
    cudaMalloc(&histogram, 4 * sizeof(int));
    cudaMemset(histogram, 0, 4 * sizeof(int));
    prepare<<<2, 64>>>(particles);
    advance<<<2, 64>>>(particles, histogram);
    int counts[4] = {};
    Particle last{};
    cudaMemcpy(counts, histogram, sizeof(counts), cudaMemcpyDeviceToHost);
    cudaMemcpy(&last, particles + particle_count - 1, sizeof(last), cudaMemcpyDeviceToHost);
    if (counts[0] != 32 || counts[1] != 32 || counts[2] != 32 || counts[3] != 32 || last.position != 129.0f) {
        std::printf("wrong %d %d %d %d %f\n", counts[0], counts[1], counts[2], counts[3], static_cast<double>(last.position));
        return 1;
    }
    std::printf("ok %d %d %d %d %d\n", counts[0], counts[1], counts[2], counts[3], last.id);
    return 0;
}
