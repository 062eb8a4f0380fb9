// k-means of points with whole coordinates: assign, add up in shared and then global memory, move the centres.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int POINTS = 512;
constexpr int THREADS = 128;
constexpr int K = 4;

struct Sums {
    int x[K], y[K], count[K];
};

__global__ void assign(const int2* points, const int2* centres, int* labels, Sums* sums) {
    __shared__ Sums block;
    if (threadIdx.x < K) {
        block.x[threadIdx.x] = block.y[threadIdx.x] = block.count[threadIdx.x] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * THREADS + threadIdx.x;
    int2 point = points[i];
    int best = 0, best_distance = 1 << 30;
    for (int k = 0; k < K; k++) {
        int dx = point.x - centres[k].x, dy = point.y - centres[k].y;
        int distance = dx * dx + dy * dy;
        if (distance < best_distance) {
            best = k;
            best_distance = distance;
        }
    }
    labels[i] = best;
    atomicAdd(&block.x[best], point.x);
    atomicAdd(&block.y[best], point.y);
    atomicAdd(&block.count[best], 1);
    __syncthreads();
    if (threadIdx.x < K) {
        atomicAdd(&sums->x[threadIdx.x], block.x[threadIdx.x]);
        atomicAdd(&sums->y[threadIdx.x], block.y[threadIdx.x]);
        atomicAdd(&sums->count[threadIdx.x], block.count[threadIdx.x]);
    }
}

__global__ void move_centres(int2* centres, Sums* sums) {
    int k = threadIdx.x;
    int count = sums->count[k];
    if (count > 0) {
        centres[k] = make_int2(sums->x[k] / count, sums->y[k] / count);
    }
    sums->x[k] = sums->y[k] = sums->count[k] = 0;
}

int main() {
    std::vector<int2> points(POINTS);
    for (int i = 0; i < POINTS; i++) {
        int corner = i % K;
        points[i] = make_int2((corner % 2) * 600 + (i * 37) % 200, (corner / 2) * 600 + (i * 53) % 200);
    }
    int2 start[K] = {{0, 0}, {100, 0}, {0, 100}, {500, 500}};
    int2 *device_points, *centres;
    int* labels;
    Sums* sums;
    CHECK(cudaMalloc(&device_points, POINTS * sizeof(int2)));
    CHECK(cudaMalloc(&centres, sizeof start));
    CHECK(cudaMalloc(&labels, POINTS * sizeof(int)));
    CHECK(cudaMalloc(&sums, sizeof(Sums)));
    CHECK(cudaMemcpy(device_points, points.data(), POINTS * sizeof(int2), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(centres, start, sizeof start, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sums, 0, sizeof(Sums)));
    for (int round = 0; round < 8; round++) {
        assign<<<POINTS / THREADS, THREADS>>>(device_points, centres, labels, sums);
        move_centres<<<1, K>>>(centres, sums);
        CHECK(cudaGetLastError());
    }
    int2 found[K];
    std::vector<int> host_labels(POINTS);
    CHECK(cudaMemcpy(found, centres, sizeof found, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(host_labels.data(), labels, POINTS * sizeof(int), cudaMemcpyDeviceToHost));
    long checksum = 0;
    for (int i = 0; i < POINTS; i++) {
        checksum += host_labels[i] * (i % 97);
    }
    for (int2 centre : found) {
        std::printf("centre %d %d\n", centre.x, centre.y);
    }
    std::printf("labels %ld\n", checksum);
    CHECK(cudaFree(device_points));
    CHECK(cudaFree(centres));
    CHECK(cudaFree(labels));
    CHECK(cudaFree(sums));
    return 0;
}
