// A unit that samples a texture and prints; the other one only calls it.
#pragma once

__device__ float sample(cudaTextureObject_t texture, int index);
__device__ void say(const char *what, int value);
