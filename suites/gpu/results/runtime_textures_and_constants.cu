// Reads through textures, writes through surfaces, numbers in constant memory and in a variable of the device.
#include "support.h"

constexpr int SIDE = 64;
__constant__ int weights[3] = {1, 2, 3};
__device__ int rows_done;

__global__ void blend(cudaTextureObject_t texture, cudaSurfaceObject_t surface) {
    int x = threadIdx.x, y = blockIdx.x;
    int value = 0;
    for (int k = 0; k < 3; k++) {
        value += weights[k] * tex2D<int>(texture, static_cast<float>((x + k) % SIDE), static_cast<float>(y));
    }
    surf2Dwrite(value, surface, x * static_cast<int>(sizeof(int)), y);
    if (x == 0) {
        atomicAdd(&rows_done, 1);
    }
}

int main() {
    std::vector<int> values = numbers<int>(SIDE * SIDE, 1, 1000), expected(SIDE * SIDE), found(SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        for (int k = 0; k < 3; k++) {
            expected[i] += (k + 1) * values[i / SIDE * SIDE + (i + k) % SIDE];
        }
    }
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t in, out;
    CHECK(cudaMallocArray(&in, &format, SIDE, SIDE));
    CHECK(cudaMallocArray(&out, &format, SIDE, SIDE, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(in, 0, 0, values.data(), SIDE * sizeof(int), SIDE * sizeof(int), SIDE, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = in;
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    resource.res.array.array = out;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    blend<<<SIDE, SIDE>>>(texture, surface);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2DFromArray(found.data(), SIDE * sizeof(int), out, 0, 0, SIDE * sizeof(int), SIDE, cudaMemcpyDeviceToHost));
    expect("blended", found, expected);
    int rows = 0;
    CHECK(cudaMemcpyFromSymbol(&rows, rows_done, sizeof rows));
    expect("rows", rows, SIDE);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(in));
    CHECK(cudaFreeArray(out));
    return finish();
}
