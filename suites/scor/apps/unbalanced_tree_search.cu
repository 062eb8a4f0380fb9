// The nodes of many trees are counted, whose shape a hash function decides. Every block has a local stack, under a lock of block
// scope, and one for others to take from, under a lock of device scope (figure 5 of the ScoRD paper). The roots are on a
// stack of their own, from which each block takes one. Workers are the first lanes of warps.
//
// Race 1: the atomics of locks of device scope have block scope. Race 2: nodes that are left are counted with block scope.
// Race 3: visited nodes are added up with block scope. Race 4: every second block takes its root without the lock. Race 5:
// every block takes its root under a lock of its own. Race 6: the fences of locks of device scope have block scope.
// In races 4 and 5 blocks take their roots in turn, so that what is missing is the lock and nothing else.
//@ races: 6
#include "../support/application.h"
#include "../support/locks.h"
#include "../support/turns.h"

using scor::Reach;

constexpr unsigned CAPACITY = 1024;
constexpr unsigned NO_NODE = ~0u;
// A worker that has found nothing so often leaves, since a program with a race may lose nodes.
constexpr unsigned PATIENCE = 1u << 16;
// A node is its level and 28 bits that its parent's bits and its place among the children decide.
constexpr unsigned BITS = (1u << 28) - 1;

__host__ __device__ unsigned level_of(unsigned node) {
    return node >> 28;
}

__host__ __device__ unsigned scramble(unsigned bits) {
    bits = (bits ^ bits >> 16) * 0x7FEB352Du;
    bits = (bits ^ bits >> 15) * 0x846CA68Bu;
    return bits ^ bits >> 16;
}

__host__ __device__ unsigned root(unsigned tree) {
    return scramble(tree + 1) & BITS;
}

// Three in the mean; roots have at least one.
__host__ __device__ unsigned children_of(unsigned node, unsigned levels) {
    const unsigned chance = scramble(node & BITS);
    if (level_of(node) == 0) {
        return 1 + chance % 5;
    }
    return level_of(node) + 1 < levels ? chance % 7 : 0;
}

__host__ __device__ unsigned child_of(unsigned node, unsigned place) {
    return (level_of(node) + 1) << 28 | (scramble((node & BITS) * 8 + place) & BITS);
}

struct Stack {
    volatile unsigned* nodes;
    volatile unsigned* height;
    unsigned* lock;
};

// Puts a node on top of a stack, or takes the node on top off it.
__device__ __forceinline__ void change(const Stack& stack, unsigned& node, bool puts) {
    unsigned height = *stack.height;
    if (puts && height < CAPACITY) {
        stack.nodes[height] = node;
        ++height;
    } else if (puts || height == 0) {
        node = NO_NODE;
    } else {
        --height;
        node = stack.nodes[height];  //~ [race 6] [scord] race: scope (with line 60) by scord IV(b)  //~ [race 6] [iguard] race: missing-sync (with line 60) by iguard R4  //~ [race 6] [hb] race: scope error (with line 60) by hb "volatile only where nothing else is wrong"
    }
    *stack.height = height;  //~ [race 4, 5] [scord] race: lock (with line 58) by scord IV(e)  //~ [race 4, 5] [iguard] race: lock (with line 58) by iguard R5  //~ [race 4, 5] [iguard] race: lock (with itself) by iguard R5  //~ [race 6] [scord] race: scope (with line 58) by scord IV(b)  //~ [race 6] [iguard] race: missing-sync (with line 58) by iguard R4  //~ [race 6] [iguard] race: missing-sync (with itself) by iguard R4  //~ [race 1, 4, 6] [hb] race: volatile warning (with line 58) by hb "races in CUDA C++ but not in PTX"  //~ [race 1, 4, 6] [hb] race: volatile warning (with itself) by hb "ordered before every access to the same address that follows the read in program order"  //~ [race 1, 6] [hb] race: scope error (with line 58) by hb "volatile only where nothing else is wrong"  //~ [race 4] [hb] race: missing-fence error (with line 58) by hb "volatile only where nothing else is wrong"  //~ [race 4, 5] [hb] race: lock error (with line 58) by hb "volatile only where nothing else is wrong"  //~ [race 4, 5] [hb] race: lock error (with itself) by hb "volatile only where nothing else is wrong"
}

// A stack that all blocks use.
template <int RACE>
__device__ __forceinline__ void change_of_all(const Stack& stack, unsigned& node, bool puts) {
    constexpr Reach ATOMICS = RACE == 1 ? Reach::block : Reach::device;
    constexpr Reach FENCES = RACE == 6 ? Reach::block : Reach::device;
    scor::under_lock<ATOMICS, FENCES>(stack.lock, [&] { change(stack, node, puts); });  //~ [race 1] [scord] race: scope (with itself) by scord IV(d)  //~ [race 1] [iguard] race: scope (with itself) by iguard R1  //~ [race 1] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
}

// All that the kernel works on: first the local stacks, then those for others, and last the one of the roots.
struct Forest {
    volatile unsigned* nodes;
    volatile unsigned* heights;
    unsigned* locks;
    // How many nodes each block has for others.
    unsigned* offers;
    // Nodes that are on a stack or being visited.
    unsigned* left;
    unsigned* visited;
    unsigned* turn;
    unsigned levels;

    __device__ Stack stack(unsigned number) const {
        return Stack{nodes + number * CAPACITY, heights + number, locks + number};
    }
    __device__ Stack local() const { return stack(blockIdx.x); }
    __device__ Stack of_block(unsigned block) const { return stack(gridDim.x + block); }
    __device__ Stack of_roots() const { return stack(gridDim.x * 2); }
};

template <int RACE>
__device__ unsigned take_root(const Forest& forest) {
    const Stack roots = forest.of_roots();
    unsigned node = NO_NODE;
    if constexpr (RACE == 4) {
        scor::wait_for(forest.turn, blockIdx.x);
    }
    if (RACE == 4 && blockIdx.x % 2 == 1) {
        change(roots, node, false);
        __threadfence();
    } else if (RACE == 5) {
        scor::under_lock<Reach::device, Reach::device>(forest.of_block(blockIdx.x).lock, [&] {
            scor::wait_for(forest.turn, blockIdx.x);
            change(roots, node, false);
        });
    } else {
        change_of_all<RACE>(roots, node, false);
    }
    if constexpr (RACE == 4 || RACE == 5) {
        scor::tell(forest.turn);
    }
    return node;
}

// A node from the local stack, or else from what another block offers.
template <int RACE>
__device__ unsigned take_node(const Forest& forest) {
    const Stack local = forest.local();
    unsigned node = NO_NODE;
    scor::under_lock<Reach::block, Reach::block>(local.lock, [&] { change(local, node, false); });
    for (unsigned distance = 1; node == NO_NODE && distance < gridDim.x; ++distance) {
        const unsigned victim = (blockIdx.x + distance) % gridDim.x;
        if (atomicAdd(forest.offers + victim, 0u) != 0) {
            change_of_all<RACE>(forest.of_block(victim), node, false);
            if (node != NO_NODE) {
                atomicSub(forest.offers + victim, 1u);
            }
        }
    }
    return node;
}

// The children of a root are for others, and are offered when all of them are there; all other nodes stay in the block.
template <int RACE>
__device__ void put_children(const Forest& forest, unsigned node) {
    const Stack local = forest.local();
    const unsigned count = children_of(node, forest.levels);
    for (unsigned place = 0; place < count; ++place) {
        unsigned child = child_of(node, place);
        if (level_of(node) == 0) {
            change_of_all<RACE>(forest.of_block(blockIdx.x), child, true);
        } else {
            scor::under_lock<Reach::block, Reach::block>(local.lock, [&] { change(local, child, true); });
        }
    }
    if (level_of(node) == 0) {
        atomicAdd(forest.offers + blockIdx.x, count);
    }
}

template <int RACE>
__global__ void search(Forest forest) {
    if (threadIdx.x % 32 != 0) {
        return;
    }
    unsigned visited = 0;
    unsigned change_of_left = 0;
    unsigned node = threadIdx.x == 0 ? take_root<RACE>(forest) : NO_NODE;
    for (unsigned idle = 0; idle < PATIENCE; ++idle) {
        if (node != NO_NODE) {
            idle = 0;
            ++visited;
            change_of_left = children_of(node, forest.levels) - 1;
        }
        // Children are counted before anybody can take them.
        const unsigned before = scor::add<RACE == 2 ? Reach::block : Reach::device>(forest.left, change_of_left);  //~ [race 2] [scord] race: scope (with itself) by scord IV(d)  //~ [race 2] [iguard] race: scope (with itself) by iguard R1  //~ [race 2] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
        if (before + change_of_left == 0) {
            break;
        }
        change_of_left = 0;
        if (node != NO_NODE) {
            put_children<RACE>(forest, node);
        }
        node = take_node<RACE>(forest);
    }
    scor::add<RACE == 3 ? Reach::block : Reach::device>(forest.visited, visited);  //~ [race 3] [scord] race: scope (with itself) by scord IV(d)  //~ [race 3] [iguard] race: scope (with itself) by iguard R1  //~ [race 3] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
}

unsigned nodes_below(unsigned node, unsigned levels) {
    unsigned count = 1;
    for (unsigned place = 0; place < children_of(node, levels); ++place) {
        count += nodes_below(child_of(node, place), levels);
    }
    return count;
}

int main(int count, char** words) {
    const scor::Options options = scor::read_options(count, words, 6);
    const bool is_paper = options.size == scor::Size::paper;
    const unsigned trees = is_paper ? 120 : 4;
    const unsigned workers = is_paper ? 8 : 3;
    const unsigned levels = is_paper ? 9 : 5;
    const unsigned stacks = trees * 2 + 1;
    std::vector<unsigned> nodes_at_first(stacks * CAPACITY), heights_at_first(stacks);
    unsigned expected = 0;
    for (unsigned tree = 0; tree < trees; ++tree) {
        nodes_at_first[trees * 2 * CAPACITY + tree] = root(tree);
        expected += nodes_below(root(tree), levels);
    }
    heights_at_first[trees * 2] = trees;
    scor::Buffer<unsigned> nodes(nodes_at_first), heights(heights_at_first), locks(stacks), offers(trees);
    scor::Buffer<unsigned> left(std::vector<unsigned>{trees}), visited(1), turn(1);
    const Forest forest{nodes.device(), heights.device(), locks.device(),   offers.device(),
                        left.device(),  visited.device(), turn.device(), levels};
    scor::with_race<6>(options.race, [&](auto race) {
        search<decltype(race)::value><<<trees, workers * 32>>>(forest);
    });
    return scor::finish("unbalanced_tree_search", options, visited.host()[0] == expected);
}
