#include "native.h"

#include <cmath>

struct Body {
    float x, y, z, mass;
};

static const float SOFTENING = 0.01f;

static void accelerate(const Body *bodies, Body *accelerations, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        for (uint32_t j = 0; j < n; j++) {
            float dx = bodies[j].x - bodies[i].x;
            float dy = bodies[j].y - bodies[i].y;
            float dz = bodies[j].z - bodies[i].z;
            float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
            float force = bodies[j].mass * inverse * inverse * inverse;
            ax += dx * force;
            ay += dy * force;
            az += dz * force;
        }
        accelerations[i] = Body{ax, ay, az, 0.0f};
    }
}

extern "C" void nbody(void *const *buffers, const uint32_t *numbers) {
    accelerate(static_cast<const Body *>(buffers[0]), static_cast<Body *>(buffers[1]), numbers[0]);
}
