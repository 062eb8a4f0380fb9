// Rows with a pitch: cudaMallocPitch, cudaMemset2D and cudaMemcpy2D in all directions.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int WIDTH = 37;
constexpr int HEIGHT = 19;

__global__ void scale_rows(char* base, size_t pitch, int factor) {
    int* row = reinterpret_cast<int*>(base + blockIdx.x * pitch);
    row[threadIdx.x] = row[threadIdx.x] * factor + static_cast<int>(blockIdx.x);
}

int main() {
    char* image;
    size_t pitch;
    CHECK(cudaMallocPitch(reinterpret_cast<void**>(&image), &pitch, WIDTH * sizeof(int), HEIGHT));
    std::printf("pitch holds a row: %s, and is a multiple of 32: %s\n", pitch >= WIDTH * sizeof(int) ? "yes" : "no",
                pitch % 32 == 0 ? "yes" : "no");

    std::vector<int> pixels(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        pixels[i] = i;
    }
    CHECK(cudaMemcpy2D(image, pitch, pixels.data(), WIDTH * sizeof(int), WIDTH * sizeof(int), HEIGHT, cudaMemcpyHostToDevice));
    scale_rows<<<HEIGHT, WIDTH>>>(image, pitch, 2);
    CHECK(cudaGetLastError());

    // Clear the left 5 columns of rows 3 to 6.
    CHECK(cudaMemset2D(image + 3 * pitch, pitch, 0, 5 * sizeof(int), 4));

    int* dense;
    CHECK(cudaMalloc(&dense, WIDTH * HEIGHT * sizeof(int)));
    CHECK(cudaMemcpy2D(dense, WIDTH * sizeof(int), image, pitch, WIDTH * sizeof(int), HEIGHT, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(pixels.data(), dense, WIDTH * HEIGHT * sizeof(int), cudaMemcpyDeviceToHost));

    long sum = 0;
    for (int value : pixels) {
        sum += value;
    }
    std::printf("row 3: %d %d, row 7: %d, last: %d, sum: %ld\n", pixels[3 * WIDTH + 4], pixels[3 * WIDTH + 5],
                pixels[7 * WIDTH], pixels[WIDTH * HEIGHT - 1], sum);
    CHECK(cudaFree(dense));
    CHECK(cudaFree(image));
    return 0;
}
