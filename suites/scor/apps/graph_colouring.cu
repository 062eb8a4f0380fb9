// Colours for the vertices of a graph, different ones for neighbours. In every round those vertices get a colour that come
// before all neighbours without one, in an order by hash. The vertices are divided among blocks; a block that has none left
// takes some of another's (figure 3 of the ScoRD paper).
//
// Race 1: a block takes work of its own with block scope (figure 3b). Race 2: it takes work of others with block scope.
// Race 3: no barrier before the threads of a block read which share is theirs. Race 4: no barrier after it, before the
// next one is written. Race 5: vertices without a colour are counted with block scope. Race 6: the highest colour is
// found with block scope.
//@ races: 6
#include "../../hb/support.h"
#include "../support/application.h"
#include "../support/graph.h"
#include "../support/turns.h"
#include "../support/work_stealing.h"

using scor::Reach;

__host__ __device__ bool comes_before(unsigned vertex, unsigned other) {
    const unsigned hashes[2] = {vertex * 2654435761u, other * 2654435761u};
    return (hashes[0] ^ hashes[0] >> 15) < (hashes[1] ^ hashes[1] >> 15);
}

// The colour of a vertex after this round: 0 if it has to wait for a neighbour.
__device__ unsigned colour_of(unsigned vertex, const unsigned* begin, const unsigned* neighbours, const unsigned* colours) {
    if (colours[vertex] != 0) {
        return colours[vertex];
    }
    for (unsigned from = 1;; from += 32) {
        unsigned taken = 0;
        for (unsigned at = begin[vertex]; at < begin[vertex + 1]; ++at) {
            const unsigned colour = colours[neighbours[at]];
            if (colour == 0 && comes_before(neighbours[at], vertex)) {
                return 0;
            }
            if (colour >= from && colour < from + 32) {
                taken |= 1u << (colour - from);
            }
        }
        if (taken != ~0u) {
            return from + __ffs(~taken) - 1;
        }
    }
}

template <int RACE>
__global__ void colour_round(scor::Partitions work, unsigned vertices, const unsigned* begin, const unsigned* neighbours,
                             const unsigned* before, unsigned* after, unsigned* waiting, unsigned* highest) {
    unsigned own = 0, distance = 1, waiting_here = 0, highest_here = 0;
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
                share = scor::stolen_share<RACE == 2 ? Reach::block : Reach::device>(work, distance);  //~ [race 1, 2] [scord] race: scope (with line 57) by scord IV(d)  //~ [race 1, 2] [iguard] race: scope (with line 57) by iguard R1  //~ [race 1, 2] [hb] race: scope (with line 57) by hb "block-scope atomics from two blocks race"  //~ [race 2] [scord] race: scope (with itself) by scord IV(d)  //~ [race 2] [iguard] race: scope (with itself) by iguard R1  //~ [race 2] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
            }
            weak_store(work.current + blockIdx.x, share);
        }
        if constexpr (RACE != 3) {
            __syncthreads();
        }
        // The first warp has the share in a register.
        if (threadIdx.x < 32) {
            share = __shfl_sync(~0u, share, 0);
        } else {
            share = weak_load(work.current + blockIdx.x);  //~ [race 3, 4] [scord] race: missing-fence (with line 63) by scord IV(a)  //~ [race 3, 4] [iguard] race: missing-sync (with line 63) by iguard R3  //~ [race 3, 4] [hb] race: missing-sync error (with line 63) by hb "neither morally strong nor ordered either way"
        }
        if (share == scor::NO_SHARE) {
            break;
        }
        const unsigned vertex = share + threadIdx.x;
        if (share != scor::NOT_YET && vertex < vertices) {
            const unsigned colour = colour_of(vertex, begin, neighbours, before);
            after[vertex] = colour;
            waiting_here += colour == 0;
            highest_here = max(highest_here, colour);
        }
        if constexpr (RACE != 4) {
            __syncthreads();
        }
    }
    waiting_here = scor::sum_of_warp(waiting_here);
    highest_here = scor::greatest_of_warp(highest_here);
    if (threadIdx.x % 32 == 0) {
        scor::add<RACE == 5 ? Reach::block : Reach::device>(waiting, waiting_here);  //~ [race 5] [scord] race: scope (with itself) by scord IV(d)  //~ [race 5] [iguard] race: scope (with itself) by iguard R1  //~ [race 5] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
        if constexpr (RACE == 6) {
            atomicMax_block(highest, highest_here);  //~ [race 6] [scord] race: scope (with itself) by scord IV(d)  //~ [race 6] [iguard] race: scope (with itself) by iguard R1  //~ [race 6] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
        } else {
            atomicMax(highest, highest_here);
        }
    }
}

bool is_right(const std::vector<unsigned>& colours, const scor::Edges& edges, unsigned highest) {
    unsigned found = 0;
    for (unsigned colour : colours) {
        found = colour == 0 ? ~0u : std::max(found, colour);
    }
    bool differ = true;
    for (const auto& [from, to] : edges) {
        differ = differ && colours[from] != colours[to];
    }
    return differ && found == highest;
}

int main(int count, char** words) {
    const scor::Options options = scor::read_options(count, words, 6);
    const bool is_paper = options.size == scor::Size::paper;
    const unsigned vertices = is_paper ? 30'000 : 256;
    const unsigned blocks = is_paper ? 64 : 4;
    const unsigned threads = is_paper ? 256 : 64;
    const scor::Edges edges = scor::make_edges(vertices, is_paper ? 50'000 : 400, 30);
    const scor::Neighbours graph(vertices, edges);
    scor::WorkOfBlocks work(vertices, blocks, threads);
    scor::Buffer<unsigned> begin(graph.begin), list(graph.list), first(vertices), second(vertices), waiting(1), highest(1);
    unsigned *before = first.device(), *after = second.device();
    // A race may lose vertices, so rounds are counted.
    for (unsigned rounds = 0; rounds < 200; ++rounds) {
        scor::with_race<6>(options.race, [&](auto race) {
            colour_round<decltype(race)::value><<<blocks, threads>>>(work.device(), vertices, begin.device(), list.device(),
                                                                     before, after, waiting.device(), highest.device());
        });
        std::swap(before, after);
        if (waiting.host()[0] == 0) {
            break;
        }
        waiting.clear();
        work.begin_again();
    }
    const scor::Buffer<unsigned>& colours = before == first.device() ? first : second;
    return scor::finish("graph_colouring", options, is_right(colours.host(), edges, highest.host()[0]));
}
