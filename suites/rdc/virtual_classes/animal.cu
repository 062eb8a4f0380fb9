#include "animal.cuh"

__device__ Animal::Animal(int w) : weight(w) {}
__device__ Animal::~Animal() { weight = 0; }
__device__ int Animal::cost(int days) const { return weight * days; }
__device__ Bird::Bird(int w) : Animal(w) {}
__device__ int Bird::legs() const { return 2; }
