// Asks for one thing that may be refused, by the first argument, and goes on whatever the answer is.
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

__device__ int variable;

__global__ void few_blocks_work(int *cells) {
    if (blockIdx.y == 0 && blockIdx.x < 2 && threadIdx.x == 0) {
        cells[blockIdx.x] = 1;
    }
}

static void say(const char *what, cudaError_t answer) {
    std::printf("%s: %s\n", what, cudaGetErrorName(answer));
    std::fflush(stdout);
    (void)cudaGetLastError();
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    int value = 1;
    void *address = nullptr;
    size_t bytes = 0;
    if (!strcmp(mode, "to-symbol")) {
        say(mode, cudaMemcpyToSymbol(variable, &value, sizeof value));
    } else if (!strcmp(mode, "from-symbol")) {
        say(mode, cudaMemcpyFromSymbol(&value, variable, sizeof value));
    } else if (!strcmp(mode, "symbol-address")) {
        say(mode, cudaGetSymbolAddress(&address, variable));
    } else if (!strcmp(mode, "symbol-size")) {
        say(mode, cudaGetSymbolSize(&bytes, variable));
    } else if (!strcmp(mode, "library")) {
        cudaLibrary_t library;
        cudaKernel_t kernel;
        say("load", cudaLibraryLoadData(&library, "this is no PTX", nullptr, nullptr, 0, nullptr, nullptr, 0));
        say("kernel", cudaLibraryGetKernel(&kernel, library, "k"));
    } else if (!strcmp(mode, "managed")) {
        void *range = reinterpret_cast<void *>(0x300000000000);
        if (mmap(range, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != range) {
            return 9;
        }
        say(mode, cudaMallocManaged(&address, 4096));
    } else if (!strcmp(mode, "grid")) {
        int *cells;
        cudaMalloc(&cells, 2 * sizeof *cells);
        few_blocks_work<<<dim3(65536, 32769), 32>>>(cells);
        say(mode, cudaPeekAtLastError());
        say("waited", cudaDeviceSynchronize());
    } else if (!strcmp(mode, "more-blocks")) {
        int *cells;
        cudaMalloc(&cells, 2 * sizeof *cells);
        few_blocks_work<<<dim3(65536, 65535, 2), 32>>>(cells);
        say(mode, cudaPeekAtLastError());
    }
    return 0;
}
