// Virtual classes: the base and one class in one unit, another class in a second one.
#pragma once

struct Animal {
    int weight;
    __device__ explicit Animal(int w);
    __device__ virtual int legs() const = 0;
    __device__ virtual int cost(int days) const;
    __device__ virtual ~Animal();
};

struct Bird : Animal {
    __device__ explicit Bird(int w);
    __device__ int legs() const override;
};

struct Spider : Animal {
    __device__ explicit Spider(int w);
    __device__ int legs() const override;
    __device__ int cost(int days) const override;
};

__device__ Animal *make_animal(int kind);
