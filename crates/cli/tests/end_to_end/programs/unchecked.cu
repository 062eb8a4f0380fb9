// Does one thing that looks harmless, by the first argument.
#include <cstdio>
#include <cstring>
#include <unistd.h>

__global__ void fill(int *cells, int value) {
    cells[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void same_value(int *cells) {
    cells[0] = 1;
}

__global__ void spin(volatile int *cells) {
    while (cells[0] == 0) {
    }
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    if (!strcmp(mode, "background")) {
        if (fork() == 0) {
            sleep(3);
            _exit(0);
        }
        return 0;
    }
    int *cells;
    int host[128];
    cudaMalloc(&cells, sizeof host);
    cudaMemset(cells, 0, sizeof host);
    cudaDeviceSynchronize();
    if (!strcmp(mode, "streams")) {
        cudaStream_t one, other;
        cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        fill<<<2, 64, 0, one>>>(cells, 1);
        fill<<<2, 64, 0, other>>>(cells, 2);
    } else if (!strcmp(mode, "copy")) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        fill<<<2, 64, 0, stream>>>(cells, 1);
        cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
    } else if (!strcmp(mode, "waited")) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        fill<<<2, 64, 0, stream>>>(cells, 1);
        cudaStreamSynchronize(stream);
        cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
    } else if (!strcmp(mode, "same-value")) {
        same_value<<<2, 64>>>(cells);
    } else if (!strcmp(mode, "spin")) {
        spin<<<1, 32>>>(cells);
    }
    return 0;
}
