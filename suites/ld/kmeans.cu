// Assigns points to the nearest of four centres. A block brings its points to shared memory, and each thread looks at one. How
// far they are from their centres is added in the block, in the first column of the points.
//
// Race 1: no barrier between the first two steps of that sum. Race 2: threads look at the points of the next warp, while that
// one sees to it that no coordinate is negative. Race 3: two blocks write their sums to the same place.
//@ races: 3
#include "support/application.h"

constexpr int THREADS = 128;
constexpr int WARP = 32;
constexpr int FEATURES = 9;
constexpr int CENTRES = 4;

template <int RACE>
__global__ void assign(const float* points, const float* centres, int* members, float* errors) {
    __shared__ float rows[THREADS * FEATURES];
    __shared__ float centre_rows[CENTRES * FEATURES];
    const int thread = threadIdx.x;
    for (int at = thread; at < THREADS * FEATURES; at += THREADS) {
        rows[at] = points[blockIdx.x * THREADS * FEATURES + at];
    }
    if (thread < CENTRES * FEATURES) {
        centre_rows[thread] = centres[thread];
    }
    __syncthreads();
    for (int at = thread * FEATURES; at < (thread + 1) * FEATURES; ++at) {
        // None is negative. LD does not see race 2, class 2 of section 4.7: each value is replaced by itself.
        rows[at] = fmaxf(rows[at], 0);  //~ [race 2] [hb] race: missing-sync (with line 36)  //~ [race 2] [ld] clean
    }
    const int row = RACE == 2 ? (thread + WARP) % THREADS : thread;
    int best = 0;
    float least = 1e30f;
    for (int centre = 0; centre < CENTRES; ++centre) {
        float distance = 0;
        for (int feature = 0; feature < FEATURES; ++feature) {
            const float difference = rows[row * FEATURES + feature] - centre_rows[centre * FEATURES + feature];
            distance += difference * difference;
        }
        best = distance < least ? centre : best;
        least = fminf(distance, least);
    }
    members[blockIdx.x * THREADS + thread] = best;
    if (RACE == 2) {
        // Without it there would be a second race, with what comes next.
        __syncthreads();
    }
    rows[thread * FEATURES] = least;
    __syncthreads();
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        if (thread < distance) {
            const float other = rows[(thread + distance) * FEATURES];  //~ [race 1] [hb, ld] race: missing-sync (with line 52)
            rows[thread * FEATURES] += other;
        }
        // The second step of the first warp needs what the second warp does in the first one.
        if (RACE != 1 || distance != THREADS / 2) {
            __syncthreads();
        }
    }
    if (thread == 0) {
        errors[RACE == 3 ? blockIdx.x / 2 : blockIdx.x] = rows[0];  //~ [race 3] [hb, ld] race: missing-sync (with itself)
    }
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 3);
    const int blocks = options.is_paper ? 139 : 8;
    std::vector<float> centres(CENTRES * FEATURES), points(blocks * THREADS * FEATURES);
    ld::Numbers random(9);
    for (float& coordinate : centres) {
        coordinate = random.between(0, 10);
    }
    for (float& coordinate : points) {
        coordinate = random.between(0, 10);
    }
    ld::Buffer<float> points_(points), centres_(centres), errors(blocks);
    ld::Buffer<int> members(blocks * THREADS);
    ld::repeat<3>("kmeans", options, [&](auto race) {
        assign<decltype(race)::value>
            <<<blocks, THREADS>>>(points_.device(), centres_.device(), members.device(), errors.device());
    });
    const std::vector<int> found = members.host();
    const std::vector<float> found_errors = errors.host();
    bool is_right = true;
    for (int block = 0; block < blocks; ++block) {
        double error = 0;
        for (int point = block * THREADS; point < (block + 1) * THREADS; ++point) {
            double least = 1e30, of_found = 0;
            for (int centre = 0; centre < CENTRES; ++centre) {
                double distance = 0;
                for (int feature = 0; feature < FEATURES; ++feature) {
                    const double difference = points[point * FEATURES + feature] - centres[centre * FEATURES + feature];
                    distance += difference * difference;
                }
                least = std::fmin(distance, least);
                of_found = centre == found[point] ? distance : of_found;
            }
            is_right &= ld::is_near(of_found, least, 1e-5);
            error += least;
        }
        is_right &= ld::is_near(found_errors[block], error, 1e-4);
    }
    return ld::finish("kmeans", options, is_right);
}
