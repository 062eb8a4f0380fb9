// The connected components of a graph. Every edge links the roots of its two ends, the greater to the smaller one. The edges
// are divided among blocks; a block that has none left takes some of another's (figure 3 of the ScoRD paper).
//
// Race 1: a block takes work of its own with block scope (figure 3b). Race 2: it takes work of others with block scope.
// Race 3: links are counted with block scope. Race 4: the barrier comes after the threads of a block have read which share is
// theirs. Race 5: the fence before a warp says that its numbers are there has block scope.
//@ races: 5
#include "../../hb/support.h"
#include "../support/application.h"
#include "../support/graph.h"
#include "../support/turns.h"
#include "../support/work_stealing.h"

using scor::Reach;

// Others link roots at the same time, so parents are read by atomics, too.
__device__ unsigned root_of(unsigned vertex, unsigned* parents) {
    unsigned parent = atomicAdd(parents + vertex, 0u);
    while (parent != vertex) {
        vertex = parent;
        parent = atomicAdd(parents + vertex, 0u);
    }
    return vertex;
}

// Returns whether two components became one.
__device__ bool link(unsigned one, unsigned other, unsigned* parents) {
    while (true) {
        one = root_of(one, parents);
        other = root_of(other, parents);
        if (one == other) {
            return false;
        }
        const unsigned greater = max(one, other);
        const unsigned smaller = min(one, other);
        const unsigned parent = atomicMin(parents + greater, smaller);
        if (parent == greater) {
            return true;
        }
        // Somebody was faster: what is left is to link its choice with ours.
        one = parent;
        other = smaller;
    }
}

template <int RACE>
__global__ void link_edges(scor::Partitions work, unsigned edges, const unsigned* from, const unsigned* to, unsigned* parents,
                           unsigned* links, volatile unsigned* seen_by_warp, unsigned* ready, unsigned* seen) {
    unsigned own = 0, distance = 1, links_here = 0, seen_here = 0;
    if (RACE == 2 && threadIdx.x == 0 && blockIdx.x + 1 == gridDim.x) {
        // Somebody has tried to steal before this block looks at its own partition.
        scor::wait_for(work.tries + blockIdx.x, 1);
    }
    while (true) {
        unsigned share = scor::NO_SHARE;
        if (threadIdx.x == 0) {
            if (own != scor::NO_SHARE) {
                own = scor::own_share<RACE == 1 ? Reach::block : Reach::device>(work);
                share = own;
            }
            if (share == scor::NO_SHARE) {
                share = scor::stolen_share<RACE == 2 ? Reach::block : Reach::device>(work, distance);  //~ [race 1, 2] [scord] race: scope (with line 58) by scord IV(d)  //~ [race 1, 2] [iguard] race: scope (with line 58) by iguard R1  //~ [race 1, 2] [hb] race: scope (with line 58) by hb "block-scope atomics from two blocks race"  //~ [race 2] [scord] race: scope (with itself) by scord IV(d)  //~ [race 2] [iguard] race: scope (with itself) by iguard R1  //~ [race 2] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
            }
            weak_store(work.current + blockIdx.x, share);
        }
        if constexpr (RACE != 4) {
            __syncthreads();
        }
        // The first warp has the share in a register.
        if (threadIdx.x < 32) {
            share = __shfl_sync(~0u, share, 0);
        } else {
            share = weak_load(work.current + blockIdx.x);  //~ [race 4] [scord] race: missing-fence (with line 64) by scord IV(a)  //~ [race 4] [iguard] race: missing-sync (with line 64) by iguard R3  //~ [race 4] [hb] race: missing-sync error (with line 64) by hb "neither morally strong nor ordered either way"
        }
        if constexpr (RACE == 4) {
            __syncthreads();
        }
        if (share == scor::NO_SHARE) {
            break;
        }
        const unsigned edge = share + threadIdx.x;
        if (share != scor::NOT_YET && edge < edges) {
            links_here += link(from[edge], to[edge], parents);
            seen_here += 1;
        }
        __syncthreads();
    }
    links_here = scor::sum_of_warp(links_here);
    seen_here = scor::sum_of_warp(seen_here);
    if (threadIdx.x % 32 != 0) {
        return;
    }
    scor::add<RACE == 3 ? Reach::block : Reach::device>(links, links_here);  //~ [race 3] [scord] race: scope (with itself) by scord IV(d)  //~ [race 3] [iguard] race: scope (with itself) by iguard R1  //~ [race 3] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
    // The warp that comes last adds up what all have seen.
    const unsigned warps = gridDim.x * blockDim.x / 32;
    seen_by_warp[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = seen_here;
    scor::memory_fence<RACE == 5 ? Reach::block : Reach::device>();
    if (atomicAdd(ready, 1u) == warps - 1) {
        __threadfence();
        unsigned sum = 0;
        for (unsigned warp = 0; warp < warps; ++warp) {
            sum += seen_by_warp[warp];  //~ [race 5] [scord] race: scope (with line 96) by scord IV(b)  //~ [race 5] [iguard] race: missing-sync (with line 96) by iguard R4  //~ [race 5] [hb] race: scope error (with line 96) by hb "volatile only where nothing else is wrong"
        }
        *seen = sum;
    }
}

// Replaces each parent by its root.
__global__ void find_roots(const unsigned* parents, unsigned* roots, unsigned vertices) {
    const unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex < vertices) {
        unsigned root = vertex;
        while (parents[root] != root) {
            root = parents[root];
        }
        roots[vertex] = root;
    }
}

// The smallest vertex of each one's component, and how many links that takes.
std::pair<std::vector<unsigned>, unsigned> components(unsigned vertices, const scor::Edges& edges) {
    std::vector<unsigned> parents(vertices);
    for (unsigned vertex = 0; vertex < vertices; ++vertex) {
        parents[vertex] = vertex;
    }
    const auto root = [&](unsigned vertex) {
        while (parents[vertex] != vertex) {
            vertex = parents[vertex] = parents[parents[vertex]];
        }
        return vertex;
    };
    unsigned links = 0;
    for (const auto& [from, to] : edges) {
        const unsigned one = root(from), other = root(to);
        links += one != other;
        parents[std::max(one, other)] = std::min(one, other);
    }
    for (unsigned vertex = 0; vertex < vertices; ++vertex) {
        parents[vertex] = root(vertex);
    }
    return {parents, links};
}

int main(int count, char** words) {
    const scor::Options options = scor::read_options(count, words, 5);
    const bool is_paper = options.size == scor::Size::paper;
    const unsigned vertices = is_paper ? 100'000 : 300;
    const unsigned blocks = is_paper ? 64 : 4;
    const unsigned threads = is_paper ? 256 : 64;
    const scor::Edges edges = scor::make_edges(vertices, is_paper ? 150'000 : 450, 100);
    const unsigned edge_count = unsigned(edges.size());
    std::vector<unsigned> froms, tos, selves;
    for (const auto& [one, other] : edges) {
        froms.push_back(one);
        tos.push_back(other);
    }
    for (unsigned vertex = 0; vertex < vertices; ++vertex) {
        selves.push_back(vertex);
    }
    const scor::WorkOfBlocks work(edge_count, blocks, threads);
    scor::Buffer<unsigned> from(froms), to(tos), parents(selves), roots(vertices);
    scor::Buffer<unsigned> links(1), seen_by_warp(blocks * threads / 32), ready(1), seen(1);
    scor::with_race<5>(options.race, [&](auto race) {
        link_edges<decltype(race)::value>
            <<<blocks, threads>>>(work.device(), edge_count, from.device(), to.device(), parents.device(), links.device(),
                                  seen_by_warp.device(), ready.device(), seen.device());
    });
    find_roots<<<(vertices + threads - 1) / threads, threads>>>(parents.device(), roots.device(), vertices);
    const auto [expected_roots, expected_links] = components(vertices, edges);
    const bool is_right = roots.host() == expected_roots && links.host()[0] == expected_links && seen.host()[0] == edge_count;
    return scor::finish("graph_connectivity", options, is_right);
}
