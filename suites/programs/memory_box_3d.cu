// Boxes in three dimensions: cudaMalloc3D, cudaMemset3D, and cudaMemcpy3D of a part at a position.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int WIDTH = 12, HEIGHT = 10, DEPTH = 6;

__global__ void number_cells(cudaPitchedPtr box) {
    char* slice = static_cast<char*>(box.ptr) + blockIdx.x * box.pitch * HEIGHT;
    int* row = reinterpret_cast<int*>(slice + threadIdx.y * box.pitch);
    row[threadIdx.x] += (static_cast<int>(blockIdx.x) * HEIGHT + threadIdx.y) * WIDTH + threadIdx.x;
}

int main() {
    cudaExtent extent = make_cudaExtent(WIDTH * sizeof(int), HEIGHT, DEPTH);
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, extent));
    std::printf("width %zu, height %zu\n", box.xsize, box.ysize);
    CHECK(cudaMemset3D(box, 0, extent));
    number_cells<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(box);
    CHECK(cudaGetLastError());

    // Copy the cells (2..5, 3..7, 1..3) to the corner (1, 1, 1) of a box on the host.
    std::vector<int> cells(8 * 8 * 8, -1);
    cudaMemcpy3DParms parameters = {};
    parameters.srcPtr = box;
    parameters.srcPos = make_cudaPos(2 * sizeof(int), 3, 1);
    parameters.dstPtr = make_cudaPitchedPtr(cells.data(), 8 * sizeof(int), 8 * sizeof(int), 8);
    parameters.dstPos = make_cudaPos(1 * sizeof(int), 1, 1);
    parameters.extent = make_cudaExtent(4 * sizeof(int), 5, 3);
    parameters.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&parameters));

    int copied = 0;
    long sum = 0;
    for (int cell : cells) {
        if (cell >= 0) {
            copied++;
            sum += cell;
        }
    }
    std::printf("copied %d cells, first %d, last %d, sum %ld\n", copied, cells[(1 * 8 + 1) * 8 + 1],
                cells[(3 * 8 + 5) * 8 + 4], sum);

    // And back to another place of the device's box, in a stream.
    parameters.srcPtr = parameters.dstPtr;
    parameters.srcPos = make_cudaPos(1 * sizeof(int), 1, 1);
    parameters.dstPtr = box;
    parameters.dstPos = make_cudaPos(0, 0, 0);
    parameters.kind = cudaMemcpyHostToDevice;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy3DAsync(&parameters, stream));
    CHECK(cudaStreamSynchronize(stream));
    int corner[4];
    CHECK(cudaMemcpy(corner, box.ptr, sizeof corner, cudaMemcpyDeviceToHost));
    std::printf("corner: %d %d %d %d\n", corner[0], corner[1], corner[2], corner[3]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(box.ptr));
    return 0;
}
