// Graphs like those that people draw between each other: few vertices have many edges (R-MAT: D. Chakrabarti, Y. Zhan and
// C. Faloutsos, "R-MAT: A recursive model for graph mining", SDM 2004).
#pragma once
#include "application.h"

#include <utility>

namespace scor {

using Edges = std::vector<std::pair<unsigned, unsigned>>;

// Edges between different vertices. Each is placed by going down a square that is divided into four quarters again and
// again, with 45, 15, 15 and 25 percent for each.
inline Edges make_edges(unsigned vertices, unsigned count, unsigned seed) {
    Numbers random(seed);
    Edges edges;
    while (edges.size() < count) {
        unsigned from = 0, to = 0;
        for (unsigned side = 1; side < vertices; side *= 2) {
            const unsigned place = random.below(100);
            from = from * 2 + (place >= 60);
            to = to * 2 + (place >= 75 || (place >= 45 && place < 60));
        }
        if (from < vertices && to < vertices && from != to) {
            edges.emplace_back(from, to);
        }
    }
    return edges;
}

// The neighbours of every vertex in one list: those of vertex v are from begin[v] to begin[v + 1].
struct Neighbours {
    std::vector<unsigned> begin, list;

    Neighbours(unsigned vertices, const Edges& edges) : begin(vertices + 1), list(edges.size() * 2) {
        for (const auto& [from, to] : edges) {
            ++begin[from + 1];
            ++begin[to + 1];
        }
        for (unsigned vertex = 0; vertex < vertices; ++vertex) {
            begin[vertex + 1] += begin[vertex];
        }
        std::vector<unsigned> end(begin);
        for (const auto& [from, to] : edges) {
            list[end[from]++] = to;
            list[end[to]++] = from;
        }
    }
};

}  // namespace scor
