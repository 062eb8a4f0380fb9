// A breadth-first search, level by level, with two kernels for each: one in which nodes that were not visited look for a node
// of the last level among their neighbours, and one that makes those that have found one the next level.
//
// Race 1: nodes of the last level write to their neighbours instead, of which some have two such nodes. Race 2: the first
// kernel adds nodes to the level that others are still looking at.
//@ races: 2
#include "support/application.h"

constexpr int THREADS = 256;
constexpr int WARP = 32;

template <int RACE>
__global__ void look(const int* first_edges, const int* edges, unsigned char* level_mask, const unsigned char* visited,
                     int* found_by) {
    const int node = blockIdx.x * THREADS + threadIdx.x;
    const int end = first_edges[node + 1];
    if constexpr (RACE == 1) {
        if (level_mask[node]) {
            for (int edge = first_edges[node]; edge < end; ++edge) {
                const int other = edges[edge];
                if (!visited[other]) {
                    // Numbers from 1 on differ from the zero that was there, mostly also in their last byte.
                    found_by[other] = node + 1;  //~ [race 1] [hb, ld] race: missing-sync (with itself)
                }
            }
        }
    } else if (!visited[node]) {
        int found = 0;
        for (int edge = first_edges[node]; edge < end; ++edge) {
            const int other = edges[edge];
            // Whoever sees a node too early is itself found too early, and says so.
            found = level_mask[other] ? other + 1 : found;  //~ [race 2] [hb, ld] race: missing-sync (with line 36)
        }
        found_by[node] = found;
        if (RACE == 2 && found != 0) {
            level_mask[node] = 1;
        }
    }
}

__global__ void advance(unsigned char* level_mask, unsigned char* visited, const int* found_by, int* levels, int level) {
    const int node = blockIdx.x * THREADS + threadIdx.x;
    const bool is_new = found_by[node] != 0 && !visited[node];
    level_mask[node] = is_new;
    if (is_new) {
        visited[node] = 1;
        levels[node] = level;
    }
}

__global__ void begin(unsigned char* level_mask, unsigned char* visited, int* found_by, int* levels) {
    const int node = blockIdx.x * THREADS + threadIdx.x;
    level_mask[node] = visited[node] = node == 0;
    found_by[node] = levels[node] = 0;
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 2);
    const int blocks = options.is_paper ? 16 : 4;
    const int nodes = blocks * THREADS;
    const int rows = nodes / WARP;
    // A torus whose rows are the nodes of a warp. Edges of a node lead to six other rows, always by the same steps: so lanes
    // of a warp never meet at a neighbour, only warps do.
    const int steps[6][2] = {{1, 1}, {5, 9}, {13, 20}, {-1, -1}, {-5, -9}, {-13, -20}};
    std::vector<int> starts(1), ends;
    for (int node = 0; node < nodes; ++node) {
        for (const auto& [down, right] : steps) {
            const int row = (node / WARP + down + rows) % rows, column = (node + right + WARP) % WARP;
            ends.push_back(row * WARP + column);
        }
        starts.push_back(int(ends.size()));
    }
    std::vector<int> expected(nodes), queue = {0};
    std::vector<bool> is_seen(nodes);
    is_seen[0] = true;
    for (std::size_t at = 0; at < queue.size(); ++at) {
        for (int edge = starts[queue[at]]; edge < starts[queue[at] + 1]; ++edge) {
            if (!is_seen[ends[edge]]) {
                is_seen[ends[edge]] = true;
                expected[ends[edge]] = expected[queue[at]] + 1;
                queue.push_back(ends[edge]);
            }
        }
    }
    // Known from the host, so that it does not hang on a race when the search ends.
    const int depth = expected[queue.back()];
    ld::Buffer<int> first_edges(starts), edges(ends), found_by(nodes), levels(nodes);
    ld::Buffer<unsigned char> level_mask(nodes), visited(nodes);
    ld::repeat<2>("bfs", options, [&](auto race) {
        begin<<<blocks, THREADS>>>(level_mask.device(), visited.device(), found_by.device(), levels.device());
        for (int level = 1; level <= depth; ++level) {
            look<decltype(race)::value><<<blocks, THREADS>>>(first_edges.device(), edges.device(), level_mask.device(),
                                                             visited.device(), found_by.device());
            advance<<<blocks, THREADS>>>(level_mask.device(), visited.device(), found_by.device(), levels.device(), level);
        }
    });
    return ld::finish("bfs", options, levels.host() == expected);
}
