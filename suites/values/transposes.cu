// Transposes: direct, through padded and swizzled tiles, in place, and a permutation of three axes.
#include "support/check.cuh"

__global__ void transpose_direct(int width, int height, const int *in, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[x * height + y] = in[y * width + x];
    }
}

template <typename T> __global__ void transpose_padded_tile(int width, int height, const T *in, T *out) {
    __shared__ T tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < width && y + j < height) {
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < height && y + j < width) {
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
        }
    }
}

__global__ void transpose_swizzled_tile(int n, const float *in, float *out) {
    __shared__ float tile[32 * 32];
    int row = threadIdx.y, column = threadIdx.x;
    tile[row * 32 + (column ^ row)] = in[(blockIdx.y * 32 + row) * n + blockIdx.x * 32 + column];
    __syncthreads();
    out[(blockIdx.x * 32 + row) * n + blockIdx.y * 32 + column] = tile[column * 32 + (row ^ column)];
}

// Each block swaps the tile (x, y) with its mirror image; blocks below the diagonal have nothing to do.
__global__ void transpose_in_place(int n, unsigned short *matrix) {
    __shared__ unsigned short upper[16][17], lower[16][17];
    if (blockIdx.y > blockIdx.x) {
        return;
    }
    int x = threadIdx.x, y = threadIdx.y;
    unsigned short *a = matrix + (blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x;
    unsigned short *b = matrix + (blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x;
    upper[y][x] = *a;
    lower[y][x] = *b;
    __syncthreads();
    *a = lower[x][y];
    if (blockIdx.x != blockIdx.y) {
        *b = upper[x][y];
    }
}

__global__ void permute_axes(int a, int b, int c, const double *in, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < a && j < b && k < c) {
        out[(j * c + k) * a + i] = in[(k * b + j) * a + i];
    }
}

template <typename T> std::vector<T> transposed(int width, int height, const std::vector<T> &in) {
    std::vector<T> out(in.size());
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            out[x * height + y] = in[y * width + x];
        }
    }
    return out;
}

int main() {
    {
        const int width = 203, height = 131;
        auto in = check::patterns<int>(width * height, 21);
        check::DeviceBuffer<int> din(in), dout(in.size());
        transpose_direct<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(width, height, din, dout);
        check::exact("transpose_direct", dout.to_host(), transposed(width, height, in));
    }
    {
        const int width = 190, height = 77;
        auto in = check::patterns<unsigned char>(width * height, 22);
        check::DeviceBuffer<unsigned char> din(in), dout(in.size());
        dim3 grid((width + 31) / 32, (height + 31) / 32);
        transpose_padded_tile<unsigned char><<<grid, dim3(32, 8)>>>(width, height, din, dout);
        check::exact("transpose_padded_tile_bytes", dout.to_host(), transposed(width, height, in));
        auto wide = check::reals<double>(width * height, 23, -1, 1);
        check::DeviceBuffer<double> dwide(wide), dwide_out(wide.size());
        transpose_padded_tile<double><<<grid, dim3(32, 8)>>>(width, height, dwide, dwide_out);
        check::exact("transpose_padded_tile_doubles", dwide_out.to_host(), transposed(width, height, wide));
    }
    {
        const int n = 160;
        auto in = check::reals<float>(n * n, 24, -1, 1);
        check::DeviceBuffer<float> din(in), dout(in.size());
        transpose_swizzled_tile<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(n, din, dout);
        check::exact("transpose_swizzled_tile", dout.to_host(), transposed(n, n, in));
    }
    {
        const int n = 176;
        auto in = check::patterns<unsigned short>(n * n, 25);
        check::DeviceBuffer<unsigned short> matrix(in);
        transpose_in_place<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, matrix);
        check::exact("transpose_in_place", matrix.to_host(), transposed(n, n, in));
    }
    {
        const int a = 33, b = 20, c = 14;
        auto in = check::reals<double>(a * b * c, 26, -1, 1);
        check::DeviceBuffer<double> din(in), dout(in.size());
        permute_axes<<<dim3((a + 15) / 16, (b + 3) / 4, (c + 3) / 4), dim3(16, 4, 4)>>>(a, b, c, din, dout);
        std::vector<double> out(in.size());
        for (int k = 0; k < c; ++k) {
            for (int j = 0; j < b; ++j) {
                for (int i = 0; i < a; ++i) {
                    out[(j * c + k) * a + i] = in[(k * b + j) * a + i];
                }
            }
        }
        check::exact("permute_axes", dout.to_host(), out);
    }
    return check::finish();
}
