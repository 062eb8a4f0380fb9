#include "animal.cuh"

__device__ Spider::Spider(int w) : Animal(w) {}
__device__ int Spider::legs() const { return 8; }
__device__ int Spider::cost(int days) const { return Animal::cost(days) + 1; }

__device__ Animal *make_animal(int kind)
{
    if (kind & 1) {
        return new Spider(kind);
    }
    return new Bird(kind * 10);
}
