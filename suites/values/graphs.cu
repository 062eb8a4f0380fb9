// Graph algorithms: breadth-first search, shortest paths, connected components, PageRank, triangle count, degrees.
#include "support/check.cuh"

#include <algorithm>
#include <cuda/atomic>
#include <queue>

struct Graph {
    int nodes;
    std::vector<int> start, target, weight;
};

// An undirected random graph with sorted neighbours and no loops; some nodes stay alone.
Graph random_graph(int nodes, int edges, uint64_t seed) {
    check::Random random(seed);
    std::vector<std::vector<int>> neighbours(nodes);
    for (int e = 0; e < edges; ++e) {
        int a = static_cast<int>(random.below(nodes)), b = static_cast<int>(random.below(nodes));
        if (a != b && a % 17 != 3 && b % 17 != 3) {
            neighbours[a].push_back(b);
            neighbours[b].push_back(a);
        }
    }
    Graph graph{nodes, {0}, {}, {}};
    for (auto &list : neighbours) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        for (int t : list) {
            int here = static_cast<int>(graph.start.size()) - 1;
            graph.target.push_back(t);
            graph.weight.push_back(1 + (here * 31 + t * 31 + here * t) % 50);
        }
        graph.start.push_back(static_cast<int>(graph.target.size()));
    }
    return graph;
}

// One level: the nodes of the frontier claim their neighbours and append them to the next frontier.
__global__ void bfs_expand(int level, int frontier_size, const int *start, const int *target, const int *frontier,
                           int *distance, int *next_frontier, int *next_size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < frontier_size) {
        int node = frontier[i];
        for (int e = start[node]; e < start[node + 1]; ++e) {
            if (atomicCAS(&distance[target[e]], -1, level + 1) == -1) {
                next_frontier[atomicAdd(next_size, 1)] = target[e];
            }
        }
    }
}

__global__ void sssp_relax(int nodes, const int *start, const int *target, const int *weight, int *distance,
                           int *changed) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes) {
        int mine = cuda::atomic_ref<int, cuda::thread_scope_device>(distance[node]).load(cuda::memory_order_relaxed);
        if (mine == 0x7FFFFFFF) {
            return;
        }
        for (int e = start[node]; e < start[node + 1]; ++e) {
            int through = mine + weight[e];
            if (atomicMin(&distance[target[e]], through) > through) {
                atomicExch(changed, 1);
            }
        }
    }
}

// Labels sink to the smallest node of the component; reads and writes of labels are atomic.
__global__ void components_hook(int nodes, const int *start, const int *target, int *label, int *changed) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes) {
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(label[node]);
        int smallest = mine.load(cuda::memory_order_relaxed);
        for (int e = start[node]; e < start[node + 1]; ++e) {
            cuda::atomic_ref<int, cuda::thread_scope_device> other(label[target[e]]);
            smallest = min(smallest, other.load(cuda::memory_order_relaxed));
        }
        if (mine.fetch_min(smallest, cuda::memory_order_relaxed) > smallest) {
            atomicOr(changed, 1);
        }
    }
}

__global__ void pagerank_pull(int nodes, const int *start, const int *target, const double *rank, double *next) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes) {
        double sum = 0;
        for (int e = start[node]; e < start[node + 1]; ++e) {
            int other = target[e];
            sum += rank[other] / (start[other + 1] - start[other]);
        }
        next[node] = fma(0.85, sum, 0.15);
    }
}

// One warp for each node; the lanes share its neighbours and intersect sorted lists.
__global__ void triangle_count(int nodes, const int *start, const int *target, unsigned long long *triangles) {
    int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned found = 0;
    if (node < nodes) {
        for (int e = start[node] + lane; e < start[node + 1]; e += 32) {
            int other = target[e];
            if (other <= node) {
                continue;
            }
            int a = e + 1, b = start[other];
            while (a < start[node + 1] && b < start[other + 1]) {
                int x = target[a], y = target[b];
                found += x == y;
                a += x <= y;
                b += y <= x;
            }
        }
    }
    found = __reduce_add_sync(0xFFFFFFFFu, found);
    if (lane == 0 && found != 0) {
        atomicAdd(triangles, static_cast<unsigned long long>(found));
    }
}

__global__ void degree_statistics(int nodes, const int *start, int *minimum, int *maximum, int *odd) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    int degree = node < nodes ? start[node + 1] - start[node] : 0;
    int counted = __syncthreads_count(degree & 1);
    if (node < nodes) {
        atomicMin(minimum, degree);
        atomicMax(maximum, degree);
    }
    if (threadIdx.x == 0) {
        atomicAdd(odd, counted);
    }
}

int main() {
    const int nodes = 2000, blocks = (nodes + 127) / 128;
    Graph graph = random_graph(nodes, 2600, 201);
    check::DeviceBuffer<int> start(graph.start), target(graph.target), weight(graph.weight);
    {
        std::vector<int> unknown(nodes, -1);
        unknown[0] = 0;
        check::DeviceBuffer<int> distance(unknown), first(std::vector<int>(nodes, 0)), second(nodes), size(1);
        int *frontier = first, *next = second;
        for (int level = 0, count = 1; count > 0; ++level) {
            size.clear();
            bfs_expand<<<(count + 63) / 64, 64>>>(level, count, start, target, frontier, distance, next, size);
            count = size.to_host()[0];
            std::swap(frontier, next);
        }
        std::queue<int> queue({0});
        for (; !queue.empty(); queue.pop()) {
            int node = queue.front();
            for (int e = graph.start[node]; e < graph.start[node + 1]; ++e) {
                if (unknown[graph.target[e]] < 0) {
                    unknown[graph.target[e]] = unknown[node] + 1;
                    queue.push(graph.target[e]);
                }
            }
        }
        check::exact("bfs_expand", distance.to_host(), unknown);
    }
    {
        std::vector<int> far(nodes, 0x7FFFFFFF);
        far[0] = 0;
        check::DeviceBuffer<int> distance(far), changed(1);
        do {
            changed.clear();
            sssp_relax<<<blocks, 128>>>(nodes, start, target, weight, distance, changed);
        } while (changed.to_host()[0] != 0);
        std::priority_queue<std::pair<int, int>> queue;
        queue.push({0, 0});
        while (!queue.empty()) {
            auto [negative, node] = queue.top();
            queue.pop();
            if (-negative > far[node]) {
                continue;
            }
            for (int e = graph.start[node]; e < graph.start[node + 1]; ++e) {
                int through = far[node] + graph.weight[e];
                if (through < far[graph.target[e]]) {
                    far[graph.target[e]] = through;
                    queue.push({-through, graph.target[e]});
                }
            }
        }
        check::exact("sssp_relax", distance.to_host(), far);
    }
    {
        std::vector<int> label(nodes), parent(nodes);
        for (int i = 0; i < nodes; ++i) {
            label[i] = parent[i] = i;
        }
        check::DeviceBuffer<int> dlabel(label), changed(1);
        do {
            changed.clear();
            components_hook<<<blocks, 128>>>(nodes, start, target, dlabel, changed);
        } while (changed.to_host()[0] != 0);
        auto root = [&](int node) {
            while (parent[node] != node) {
                node = parent[node] = parent[parent[node]];
            }
            return node;
        };
        for (int node = 0; node < nodes; ++node) {
            for (int e = graph.start[node]; e < graph.start[node + 1]; ++e) {
                int a = root(node), b = root(graph.target[e]);
                parent[a > b ? a : b] = a > b ? b : a;
            }
        }
        for (int node = 0; node < nodes; ++node) {
            label[node] = root(node);
        }
        check::exact("components_hook", dlabel.to_host(), label);
    }
    {
        std::vector<double> rank(nodes, 1.0);
        check::DeviceBuffer<double> first(rank), second(nodes);
        for (int step = 0; step < 10; ++step) {
            pagerank_pull<<<blocks, 128>>>(nodes, start, target, step % 2 == 0 ? first : second,
                                           step % 2 == 0 ? second : first);
            std::vector<double> next(nodes);
            for (int node = 0; node < nodes; ++node) {
                double sum = 0;
                for (int e = graph.start[node]; e < graph.start[node + 1]; ++e) {
                    int other = graph.target[e];
                    sum += rank[other] / (graph.start[other + 1] - graph.start[other]);
                }
                next[node] = std::fma(0.85, sum, 0.15);
            }
            rank = next;
        }
        check::exact("pagerank_pull", first.to_host(), rank);
    }
    {
        Graph dense = random_graph(200, 3000, 202);
        check::DeviceBuffer<int> dense_start(dense.start), dense_target(dense.target);
        check::DeviceBuffer<unsigned long long> triangles(1);
        triangle_count<<<(200 * 32 + 127) / 128, 128>>>(200, dense_start, dense_target, triangles);
        std::vector<std::vector<bool>> linked(200, std::vector<bool>(200));
        for (int node = 0; node < 200; ++node) {
            for (int e = dense.start[node]; e < dense.start[node + 1]; ++e) {
                linked[node][dense.target[e]] = true;
            }
        }
        unsigned long long expected = 0;
        for (int a = 0; a < 200; ++a) {
            for (int b = a + 1; b < 200; ++b) {
                for (int c = b + 1; c < 200; ++c) {
                    expected += linked[a][b] && linked[b][c] && linked[a][c];
                }
            }
        }
        check::exact("triangle_count", triangles.to_host(), std::vector<unsigned long long>{expected});
    }
    {
        check::DeviceBuffer<int> minimum(std::vector<int>{1000000}), maximum(1), odd(1);
        degree_statistics<<<blocks, 128>>>(nodes, start, minimum, maximum, odd);
        std::vector<int> expected{1000000, 0, 0};
        for (int node = 0; node < nodes; ++node) {
            int degree = graph.start[node + 1] - graph.start[node];
            expected[0] = std::min(expected[0], degree);
            expected[1] = std::max(expected[1], degree);
            expected[2] += degree & 1;
        }
        check::exact("degree_statistics", std::vector<int>{minimum.to_host()[0], maximum.to_host()[0], odd.to_host()[0]},
                     expected);
    }
    return check::finish();
}
