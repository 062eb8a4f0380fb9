// One step of expectation maximisation for a mixture of four Gaussians. Each thread adds, over its points, how much every part
// of the mixture is responsible for them, and the first two moments of that: twelve sums in a column of shared memory. The
// block adds the columns; a second kernel adds the blocks and makes the new mixture.
//
// Race 1: each second warp adds to the columns of the warp before. Race 2: all blocks write their sums to the same place.
// Race 3: no barrier between two steps in which columns are added.
//@ races: 3
#include "support/application.h"

constexpr int BLOCKS = 8;
constexpr int THREADS = 320;
constexpr int WARP = 32;
constexpr int PARTS = 4;
constexpr int MOMENTS = 3;
constexpr int SUMS = PARTS * MOMENTS;
// The largest power of two among the threads.
constexpr int EVEN = 256;

// A part of the mixture is a factor before the exponential, the mean, and the factor in the exponent.
template <int RACE>
__global__ void expect(const float* points, const float* mixture, float* block_sums, int per_thread) {
    __shared__ float sums[SUMS * THREADS];
    __shared__ float parts[SUMS];
    const int thread = threadIdx.x;
    if (thread < SUMS) {
        parts[thread] = mixture[thread];
    }
    for (int sum = 0; sum < SUMS; ++sum) {
        sums[sum * THREADS + thread] = 0;
    }
    __syncthreads();
    const int column = RACE == 1 ? thread & ~WARP : thread;
    for (int at = 0; at < per_thread; ++at) {
        const float point = points[(at * BLOCKS + blockIdx.x) * THREADS + thread];
        float densities[PARTS];
        float whole = 0;
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
            const float away = point - parts[part * MOMENTS + 1];
            densities[part] = parts[part * MOMENTS] * __expf(parts[part * MOMENTS + 2] * away * away);
            whole += densities[part];
        }
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
            float moment = densities[part] / whole;
#pragma unroll
            for (int order = 0; order < MOMENTS; ++order) {
                sums[(part * MOMENTS + order) * THREADS + column] += moment;  //~ [race 1] [hb, ld] race: missing-sync (with itself)
                moment *= point;
            }
        }
    }
    __syncthreads();
    for (int sum = 0; sum < SUMS && thread < THREADS - EVEN; ++sum) {
        sums[sum * THREADS + thread] += sums[sum * THREADS + thread + EVEN];
    }
    __syncthreads();
    for (int distance = EVEN / 2; distance > 0; distance /= 2) {
        for (int sum = 0; sum < SUMS && thread < distance; ++sum) {
            const float other = sums[sum * THREADS + thread + distance];  //~ [race 3] [hb, ld] race: missing-sync (with line 61)
            sums[sum * THREADS + thread] += other;
        }
        if (RACE != 3 || distance != EVEN / 2) {
            __syncthreads();
        }
    }
    if (thread < SUMS) {
        const int place = RACE == 2 ? 0 : blockIdx.x;
        block_sums[place * SUMS + thread] = sums[thread * THREADS];  //~ [race 2] [hb, ld] race: missing-sync (with itself)
    }
}

// Gives the weight, the mean and the variance of each part.
__global__ void maximise(const float* block_sums, float* fitted, float points) {
    const int part = threadIdx.x;
    float weight = 0, first = 0, second = 0;
    for (int block = 0; block < BLOCKS; ++block) {
        weight += block_sums[block * SUMS + part * MOMENTS];
        first += block_sums[block * SUMS + part * MOMENTS + 1];
        second += block_sums[block * SUMS + part * MOMENTS + 2];
    }
    const float mean = first / weight;
    fitted[part * MOMENTS] = weight / points;
    fitted[part * MOMENTS + 1] = mean;
    fitted[part * MOMENTS + 2] = second / weight - mean * mean;
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 3);
    const int per_thread = options.is_paper ? 6480 : 8;
    std::vector<float> points(std::size_t(BLOCKS) * THREADS * per_thread), mixture;
    ld::Numbers random(4);
    for (float& point : points) {
        // Three numbers make something like a Gaussian around one of four places.
        const unsigned bits = random.next();
        const float away = float(bits & 1023) + float(bits >> 10 & 1023) + float(bits >> 20 & 1023) - 1535;
        point = float(bits >> 30) * 2 - 3 + away / 1024;
    }
    for (int part = 0; part < PARTS; ++part) {
        mixture.insert(mixture.end(), {1, float(part) * 2 - 2.8f, -0.5f});
    }
    ld::Buffer<float> points_(points), mixture_(mixture), block_sums(BLOCKS * SUMS), fitted(SUMS);
    ld::repeat<3>("em", options, [&](auto race) {
        expect<decltype(race)::value>
            <<<BLOCKS, THREADS>>>(points_.device(), mixture_.device(), block_sums.device(), per_thread);
        maximise<<<1, PARTS>>>(block_sums.device(), fitted.device(), float(points.size()));
    });
    double sums[SUMS] = {};
    for (const float point : points) {
        double densities[PARTS], whole = 0;
        for (int part = 0; part < PARTS; ++part) {
            const double away = point - mixture[part * MOMENTS + 1];
            whole += densities[part] = mixture[part * MOMENTS] * std::exp(mixture[part * MOMENTS + 2] * away * away);
        }
        for (int part = 0; part < PARTS; ++part) {
            const double share = densities[part] / whole;
            sums[part * MOMENTS] += share;
            sums[part * MOMENTS + 1] += share * point;
            sums[part * MOMENTS + 2] += share * point * point;
        }
    }
    const std::vector<float> found = fitted.host();
    bool is_right = true;
    for (int part = 0; part < PARTS; ++part) {
        const double weight = sums[part * MOMENTS], mean = sums[part * MOMENTS + 1] / weight;
        is_right &= ld::is_near(found[part * MOMENTS], weight / double(points.size()), 1e-3);
        is_right &= ld::is_near(found[part * MOMENTS + 1], mean, 1e-3);
        is_right &= ld::is_near(found[part * MOMENTS + 2], sums[part * MOMENTS + 2] / weight - mean * mean, 1e-3);
    }
    return ld::finish("em", options, is_right);
}
