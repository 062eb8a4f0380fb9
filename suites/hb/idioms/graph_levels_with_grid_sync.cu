// CLEAN. Breadth first along a line, level by level; the frontier of one level is read after a grid barrier.
//@ launch: levels<<<2, 32, cooperative>>>(distance: u32[64])
#include <cooperative_groups.h>

__global__ void levels(unsigned* distance) {
    auto grid = cooperative_groups::this_grid();
    unsigned vertex = blockIdx.x * 32 + threadIdx.x;
    if (vertex == 0) {
        distance[0] = 1;
    }
    grid.sync();
    for (unsigned level = 1; level < 5; ++level) {
        bool reached = vertex > 0 && distance[vertex] == 0 && distance[vertex - 1] == level;
        grid.sync();
        if (reached) {
            distance[vertex] = level + 1;
        }
        grid.sync();
    }
}
