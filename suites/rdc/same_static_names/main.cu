// Names with internal linkage stay apart: each unit sees its own function, variable and kernel.
#include <cstdio>

#include "units.cuh"

int main()
{
    int *out = nullptr;
    cudaMalloc(&out, sizeof(int));
    const int first = run_first(out);
    const int second = run_second(out);
    // First: (2 * 7 + 4) + 12 + (1 - 2 + 1000 + 1000). Second: (4 - 2 + 1000) + 1500 + (7 + 5 + 11).
    if (first != 18 + 12 + 1999 || second != 1002 + 1500 + 23) {
        std::printf("wrong %d %d\n", first, second);
        return 1;
    }
    std::printf("ok %d %d\n", first, second);
    return 0;
}
