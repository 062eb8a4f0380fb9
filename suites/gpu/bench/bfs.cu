// Breadth-first search: one launch for each level takes the nodes of the frontier and finds the next one with atomics.
// How many levels there are is found once before, so that nobody waits for the host while time is taken.
#include "bench.h"

constexpr int THREADS = 256;
constexpr int DEGREE = 16;
constexpr uint32_t UNSEEN = 0xffffffffu;
constexpr int MOST_LEVELS = 256;

__global__ void begin(uint32_t source, uint32_t* distances, uint32_t* frontier, uint32_t* lengths) {
    distances[source] = 0;
    frontier[0] = source;
    lengths[0] = 1;
}

__global__ void expand(const uint32_t* edges, uint32_t* distances, const uint32_t* frontier, uint32_t* next, uint32_t* lengths,
                       uint32_t level) {
    uint32_t length = lengths[level];
    // A node has sixteen edges and half a warp.
    for (uint32_t n = (blockIdx.x * THREADS + threadIdx.x) / DEGREE; n < length; n += gridDim.x * THREADS / DEGREE) {
        uint32_t node = edges[static_cast<size_t>(frontier[n]) * DEGREE + threadIdx.x % DEGREE];
        if (atomicMin(&distances[node], level + 1) > level + 1) {
            next[atomicAdd(&lengths[level + 1], 1u)] = node;
        }
    }
}

struct Edge {
    uint32_t nodes;
    __host__ __device__ uint32_t operator()(size_t i) const { return bench::word(static_cast<uint32_t>(i) + 99) % nodes; }
};

static std::vector<uint32_t> distances_on_host(const Edge& edge, uint32_t* levels) {
    std::vector<uint32_t> distances(edge.nodes, UNSEEN), frontier{0}, next;
    distances[0] = 0;
    for (*levels = 0; !frontier.empty(); ++*levels) {
        next.clear();
        for (uint32_t node : frontier) {
            for (int k = 0; k < DEGREE; k++) {
                uint32_t other = edge(static_cast<size_t>(node) * DEGREE + k);
                if (distances[other] == UNSEEN) {
                    distances[other] = *levels + 1;
                    next.push_back(other);
                }
            }
        }
        frontier.swap(next);
    }
    return distances;
}

int main(int argc, char** argv) {
    // The size is the number of nodes. A launch is a whole search.
    bench::Options options = bench::read_options(argc, argv, size_t(1) << 22, 10);
    Edge edge{static_cast<uint32_t>(options.size)};
    uint32_t levels = 0;
    std::vector<uint32_t> expected = distances_on_host(edge, &levels);
    if (levels > MOST_LEVELS) {
        std::fprintf(stderr, "the graph has %u levels\n", levels);
        return 2;
    }
    bench::Array<uint32_t> edges(options.size * DEGREE), distances(options.size), one(options.size), two(options.size);
    bench::Array<uint32_t> lengths(MOST_LEVELS + 1);
    edges.fill(edge);
    unsigned blocks = std::min(bench::blocks_for(options.size * DEGREE, THREADS), 2112u);
    double ms = bench::measure(options, [&] {
        CHECK(cudaMemsetAsync(distances.get(), 0xff, options.size * sizeof(uint32_t)));
        CHECK(cudaMemsetAsync(lengths.get(), 0, lengths.count() * sizeof(uint32_t)));
        begin<<<1, 1>>>(0, distances.get(), one.get(), lengths.get());
        for (uint32_t level = 0; level < levels; level++) {
            uint32_t* now = level % 2 == 0 ? one.get() : two.get();
            uint32_t* next = level % 2 == 0 ? two.get() : one.get();
            expand<<<blocks, THREADS>>>(edges.get(), distances.get(), now, next, lengths.get(), level);
        }
    });
    bench::Verdict verdict;
    std::vector<uint32_t> found = distances.to_host();
    for (size_t node = 0; node < found.size(); node++) {
        verdict.same("distance of node", node, found[node], expected[node]);
    }
    return verdict.finish("bfs", ms, options);
}
