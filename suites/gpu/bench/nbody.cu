// N-body: what all bodies together do to each one; their places go through shared memory a tile at a time.
#include "bench.h"
#include <cmath>

constexpr int THREADS = 256;
constexpr float SOFTENING = 0.01f;

// Multiplications and additions are named one by one, so that the bits do not hang on what the compiler joins.
__device__ void attract(float4 body, float4 other, float& x, float& y, float& z) {
    float dx = __fsub_rn(other.x, body.x), dy = __fsub_rn(other.y, body.y), dz = __fsub_rn(other.z, body.z);
    float square = __fmaf_rn(dz, dz, __fmaf_rn(dy, dy, __fmaf_rn(dx, dx, SOFTENING)));
    float inverse = rsqrtf(square);
    float force = __fmul_rn(other.w, __fmul_rn(inverse, __fmul_rn(inverse, inverse)));
    x = __fmaf_rn(dx, force, x);
    y = __fmaf_rn(dy, force, y);
    z = __fmaf_rn(dz, force, z);
}

__global__ void accelerate(const float4* bodies, float4* accelerations, int count) {
    __shared__ float4 tile[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float4 body = i < count ? bodies[i] : make_float4(0, 0, 0, 0);
    float x = 0, y = 0, z = 0;
    for (int start = 0; start < count; start += THREADS) {
        int other = start + threadIdx.x;
        // A body without mass, at the end of the last tile, attracts nobody.
        tile[threadIdx.x] = other < count ? bodies[other] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < THREADS; k++) {
            attract(body, tile[k], x, y, z);
        }
        __syncthreads();
    }
    if (i < count) {
        accelerations[i] = make_float4(x, y, z, 0);
    }
}

struct Body {
    __host__ __device__ float4 operator()(size_t i) const {
        auto unit = [i](uint32_t k) { return (bench::word(static_cast<uint32_t>(4 * i) + k) >> 8) * (1.0f / 16777216.0f); };
        return make_float4(unit(0), unit(1), unit(2), unit(3));
    }
};

int main(int argc, char** argv) {
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 17, 1);
    int count = static_cast<int>(options.size);
    Body body;
    bench::Array<float4> bodies(count), accelerations(count);
    bodies.fill(body);
    double ms = bench::measure(options, [&] {
        accelerate<<<bench::blocks_for(count, THREADS), THREADS>>>(bodies.get(), accelerations.get(), count);
    });
    bench::Verdict verdict;
    size_t stride = std::max<size_t>(1, count / 64) | 1;
    std::vector<float4> found = accelerations.every(stride);
    for (size_t n = 0; n < found.size(); n++) {
        float4 at = body(n * stride);
        double x = 0, y = 0, z = 0, size = 0;
        for (int k = 0; k < count; k++) {
            float4 other = body(k);
            double dx = double(other.x) - at.x, dy = double(other.y) - at.y, dz = double(other.z) - at.z;
            double square = dx * dx + dy * dy + dz * dz + SOFTENING;
            double force = other.w / (square * std::sqrt(square));
            x += dx * force;
            y += dy * force;
            z += dz * force;
            size += std::sqrt(square) * force;
        }
        double bound = 1e-4 * size;
        verdict.near("x of body", n * stride, found[n].x, x, bound);
        verdict.near("y of body", n * stride, found[n].y, y, bound);
        verdict.near("z of body", n * stride, found[n].z, z, bound);
    }
    return verdict.finish("nbody", ms, options);
}
