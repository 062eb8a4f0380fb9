// One step of bodies that attract each other. A block takes all bodies in tiles through shared memory, and each of its threads
// adds up what they do to one body.
//
// Race 1: blocks are taken to be a warp shorter than they are, so that the last warp of a block and the first one of the next
// write to the same bodies. Race 2: each second warp writes to the bodies of the warp before.
//@ races: 2
#include "support/application.h"

constexpr int THREADS = 256;
constexpr int WARP = 32;
constexpr float SOFTENING = 0.01f;
constexpr float STEP = 0.01f;

template <int RACE>
__global__ void move(const float4* positions, const float4* velocities, float4* new_positions, float4* new_velocities,
                     int bodies) {
    __shared__ float4 tile[THREADS];
    const int body = blockIdx.x * THREADS + threadIdx.x;
    float4 position = positions[body];
    float4 velocity = velocities[body];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < bodies; first += THREADS) {
        tile[threadIdx.x] = positions[first + threadIdx.x];
        __syncthreads();
        for (int at = 0; at < THREADS; ++at) {
            const float4 other = tile[at];
            const float dx = other.x - position.x, dy = other.y - position.y, dz = other.z - position.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            const float pull = other.w * inverse * inverse * inverse;
            x += dx * pull;
            y += dy * pull;
            z += dz * pull;
        }
        __syncthreads();
    }
    velocity.x += x * STEP;
    velocity.y += y * STEP;
    velocity.z += z * STEP;
    position.x += velocity.x * STEP;
    position.y += velocity.y * STEP;
    position.z += velocity.z * STEP;
    const int shorter = blockIdx.x * (THREADS - WARP) + threadIdx.x;
    const int place = RACE == 1 ? shorter : RACE == 2 ? body & ~WARP : body;
    // Every body has a place and a speed of its own, and zeros were there before.
    new_positions[place] = position;   //~ [race 1, 2] [hb, ld] race: missing-sync (with itself)
    new_velocities[place] = velocity;  //~ [race 1, 2] [hb, ld] race: missing-sync (with itself)
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 2);
    const int blocks = options.is_paper ? 60 : 4;
    const int bodies = blocks * THREADS;
    std::vector<float4> places(bodies), speeds(bodies);
    ld::Numbers random(3);
    for (int body = 0; body < bodies; ++body) {
        const float x = random.between(-1, 1), y = random.between(-1, 1), z = random.between(-1, 1);
        places[body] = make_float4(x, y, z, random.between(0.5f, 1.5f) / float(bodies));
        speeds[body] = make_float4(-y, x, 0.1f * z, 0);
    }
    ld::Buffer<float4> positions(places), velocities(speeds), new_positions(bodies), new_velocities(bodies);
    ld::repeat<2>("nbody", options, [&](auto race) {
        move<decltype(race)::value><<<blocks, THREADS>>>(positions.device(), velocities.device(), new_positions.device(),
                                                         new_velocities.device(), bodies);
    });
    const std::vector<float4> found_places = new_positions.host(), found_speeds = new_velocities.host();
    bool is_right = true;
    // The host looks at some bodies only, an odd number apart, because it needs all others for each.
    for (int body = 0; body < bodies; body += options.is_paper ? 61 : 7) {
        double x = 0, y = 0, z = 0;
        for (const float4& other : places) {
            const double dx = other.x - places[body].x, dy = other.y - places[body].y, dz = other.z - places[body].z;
            const double pull = other.w * std::pow(dx * dx + dy * dy + dz * dz + SOFTENING, -1.5);
            x += dx * pull;
            y += dy * pull;
            z += dz * pull;
        }
        const double vx = speeds[body].x + x * STEP, vy = speeds[body].y + y * STEP, vz = speeds[body].z + z * STEP;
        const float4 place = found_places[body], speed = found_speeds[body];
        is_right &= ld::is_near(speed.x, vx, 1e-4) && ld::is_near(place.x, places[body].x + vx * STEP, 1e-4);
        is_right &= ld::is_near(speed.y, vy, 1e-4) && ld::is_near(place.y, places[body].y + vy * STEP, 1e-4);
        is_right &= ld::is_near(speed.z, vz, 1e-4) && ld::is_near(place.z, places[body].z + vz * STEP, 1e-4);
    }
    return ld::finish("nbody", options, is_right);
}
