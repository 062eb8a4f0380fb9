// Breadth-first search: each launch expands one frontier; a vertex is claimed by compare-and-swap.
// verdict: clean
#include "check.h"
#include <queue>
#include <vector>

constexpr int VERTICES = 1000;
constexpr int DEGREE = 3;

__global__ void expand(const int* edges, const int* frontier, int count, int* next, int* next_count, int* distances, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    int vertex = frontier[i];
    for (int e = 0; e < DEGREE; e++) {
        int target = edges[vertex * DEGREE + e];
        if (atomicCAS(&distances[target], -1, level + 1) == -1) {
            next[atomicAdd(next_count, 1)] = target;
        }
    }
}

static std::vector<int> on_host(const std::vector<int>& edges) {
    std::vector<int> distances(VERTICES, -1);
    std::queue<int> queue;
    distances[0] = 0;
    queue.push(0);
    while (!queue.empty()) {
        int vertex = queue.front();
        queue.pop();
        for (int e = 0; e < DEGREE; e++) {
            int target = edges[vertex * DEGREE + e];
            if (distances[target] < 0) {
                distances[target] = distances[vertex] + 1;
                queue.push(target);
            }
        }
    }
    return distances;
}

int main() {
    std::vector<int> edges(VERTICES * DEGREE);
    for (int v = 0; v < VERTICES; v++) {
        edges[v * DEGREE] = (2 * v + 1) % VERTICES;
        edges[v * DEGREE + 1] = (v + 7) % VERTICES;
        edges[v * DEGREE + 2] = (5 * v + 3) % VERTICES;
    }
    int *device_edges, *frontier, *next, *next_count, *distances;
    CHECK(cudaMalloc(&device_edges, edges.size() * sizeof(int)));
    CHECK(cudaMalloc(&frontier, VERTICES * sizeof(int)));
    CHECK(cudaMalloc(&next, VERTICES * sizeof(int)));
    CHECK(cudaMalloc(&next_count, sizeof(int)));
    CHECK(cudaMalloc(&distances, VERTICES * sizeof(int)));
    CHECK(cudaMemcpy(device_edges, edges.data(), edges.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(frontier, 0, sizeof(int)));
    CHECK(cudaMemset(distances, 0xff, VERTICES * sizeof(int)));
    CHECK(cudaMemset(distances, 0, sizeof(int)));

    int count = 1, level = 0;
    while (count > 0) {
        CHECK(cudaMemset(next_count, 0, sizeof(int)));
        expand<<<(count + 63) / 64, 64>>>(device_edges, frontier, count, next, next_count, distances, level);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&count, next_count, sizeof count, cudaMemcpyDeviceToHost));
        std::swap(frontier, next);
        level++;
    }
    std::vector<int> result(VERTICES);
    CHECK(cudaMemcpy(result.data(), distances, VERTICES * sizeof(int), cudaMemcpyDeviceToHost));
    long sum = 0;
    for (int distance : result) {
        sum += distance;
    }
    std::printf("levels %d, sum of distances %ld, as on the host: %s\n", level, sum, result == on_host(edges) ? "yes" : "no");
    for (int* memory : {device_edges, frontier, next, next_count, distances}) {
        CHECK(cudaFree(memory));
    }
    return 0;
}
