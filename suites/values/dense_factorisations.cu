// Small dense matrices: LU, Cholesky, triangular solve, Gauss-Jordan inverse, Givens rotations, exact determinant.
#include "support/check.cuh"

// The matrix of a block; every step is a fused operation in a fixed order, so the bits are defined.
__global__ void lu_in_shared(double *matrices) {
    __shared__ double a[24][25];
    double *matrix = matrices + blockIdx.x * 576;
    int x = threadIdx.x, y = threadIdx.y;
    a[y][x] = matrix[y * 24 + x];
    __syncthreads();
    for (int k = 0; k < 23; ++k) {
        if (x == k && y > k) {
            a[y][k] = a[y][k] / a[k][k];
        }
        __syncthreads();
        if (x > k && y > k) {
            a[y][x] = fma(-a[y][k], a[k][x], a[y][x]);
        }
        __syncthreads();
    }
    matrix[y * 24 + x] = a[y][x];
}

__global__ void cholesky_in_shared(float *matrices) {
    __shared__ float a[16][17];
    float *matrix = matrices + blockIdx.x * 256;
    int row = threadIdx.x;
    for (int c = 0; c < 16; ++c) {
        a[row][c] = matrix[row * 16 + c];
    }
    __syncwarp(0xFFFF);
    for (int k = 0; k < 16; ++k) {
        if (row == k) {
            a[k][k] = sqrtf(a[k][k]);
        }
        __syncwarp(0xFFFF);
        if (row > k) {
            a[row][k] = a[row][k] / a[k][k];
        }
        __syncwarp(0xFFFF);
        if (row > k) {
            for (int c = k + 1; c <= row; ++c) {
                a[row][c] = fmaf(-a[row][k], a[c][k], a[row][c]);
            }
        }
        __syncwarp(0xFFFF);
    }
    for (int c = 0; c < 16; ++c) {
        matrix[row * 16 + c] = c <= row ? a[row][c] : 0.0f;
    }
}

// One warp for each system with a lower triangle; the lane of a row holds its right side.
__global__ void triangular_solve_in_warp(int count, const double *triangles, double *right_sides) {
    int system = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (system >= count) {
        return;
    }
    const double *row = triangles + system * 1024 + lane * 32;
    double side = right_sides[system * 32 + lane];
    for (int k = 0; k < 32; ++k) {
        double solved = __shfl_sync(0xFFFFFFFFu, side / row[lane], k);
        if (lane == k) {
            side = solved;
        } else if (lane > k) {
            side = fma(-row[k], solved, side);
        }
    }
    right_sides[system * 32 + lane] = side;
}

__global__ void inverse_gauss_jordan(const double *matrices, double *inverses) {
    __shared__ double a[12][24];
    int x = threadIdx.x, y = threadIdx.y;
    a[y][x] = x < 12 ? matrices[blockIdx.x * 144 + y * 12 + x] : (x - 12 == y ? 1.0 : 0.0);
    __syncthreads();
    for (int k = 0; k < 12; ++k) {
        double pivot = a[k][k], factor = a[y][k];
        __syncthreads();
        if (y == k) {
            a[k][x] = a[k][x] / pivot;
        }
        __syncthreads();
        if (y != k) {
            a[y][x] = fma(-factor, a[k][x], a[y][x]);
        }
        __syncthreads();
    }
    if (x >= 12) {
        inverses[blockIdx.x * 144 + y * 12 + x - 12] = a[y][x];
    }
}

// Each thread turns its own 4 by 4 matrix into an upper triangle by rotations kept in local memory.
__host__ __device__ inline void givens_triangle(float *m) {
    for (int column = 0; column < 3; ++column) {
        for (int row = 3; row > column; --row) {
            float a = m[(row - 1) * 4 + column], b = m[row * 4 + column];
            if (b != 0.0f) {
                float length = sqrtf(fmaf(a, a, b * b));
                float c = a / length, s = b / length;
                for (int k = column; k < 4; ++k) {
                    float top = m[(row - 1) * 4 + k], bottom = m[row * 4 + k];
                    m[(row - 1) * 4 + k] = fmaf(c, top, s * bottom);
                    m[row * 4 + k] = fmaf(c, bottom, -(s * top));
                }
            }
        }
    }
}

__global__ void givens_in_registers(int count, float *matrices) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float m[16];
        for (int k = 0; k < 16; ++k) {
            m[k] = matrices[i * 16 + k];
        }
        givens_triangle(m);
        for (int k = 0; k < 16; ++k) {
            matrices[i * 16 + k] = m[k];
        }
    }
}

// Fraction-free elimination (Bareiss) with 64-bit integers: the determinant is exact.
__host__ __device__ inline long long bareiss_determinant(const int *matrix) {
    long long m[5][5], previous = 1, sign = 1;
    for (int i = 0; i < 25; ++i) {
        m[i / 5][i % 5] = matrix[i];
    }
    for (int k = 0; k < 4; ++k) {
        int pivot = k;
        while (pivot < 5 && m[pivot][k] == 0) {
            ++pivot;
        }
        if (pivot == 5) {
            return 0;
        }
        if (pivot != k) {
            sign = -sign;
            for (int c = 0; c < 5; ++c) {
                long long t = m[k][c];
                m[k][c] = m[pivot][c];
                m[pivot][c] = t;
            }
        }
        for (int r = k + 1; r < 5; ++r) {
            for (int c = k + 1; c < 5; ++c) {
                m[r][c] = (m[r][c] * m[k][k] - m[r][k] * m[k][c]) / previous;
            }
        }
        previous = m[k][k];
    }
    return sign * m[4][4];
}

__global__ void determinant_bareiss(int count, const int *matrices, long long *determinants) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        determinants[i] = bareiss_determinant(matrices + i * 25);
    }
}

int main() {
    {
        const int count = 6;
        auto m = check::reals<double>(count * 576, 231, -1, 1);
        for (int i = 0; i < count * 24; ++i) {
            m[i / 24 * 576 + i % 24 * 25] += 30.0;
        }
        check::DeviceBuffer<double> dm(m);
        lu_in_shared<<<count, dim3(24, 24)>>>(dm);
        for (int b = 0; b < count; ++b) {
            double *a = &m[b * 576];
            for (int k = 0; k < 23; ++k) {
                for (int y = k + 1; y < 24; ++y) {
                    a[y * 24 + k] /= a[k * 24 + k];
                    for (int x = k + 1; x < 24; ++x) {
                        a[y * 24 + x] = std::fma(-a[y * 24 + k], a[k * 24 + x], a[y * 24 + x]);
                    }
                }
            }
        }
        check::exact("lu_in_shared", dm.to_host(), m);
    }
    {
        const int count = 12;
        std::vector<float> m(count * 256);
        auto noise = check::reals<float>(count * 256, 232, -1, 1);
        for (int i = 0; i < count * 256; ++i) {
            int row = i / 16 % 16, column = i % 16;
            m[i] = row == column ? 20.0f : noise[i / 256 * 256 + (row > column ? row * 16 + column : column * 16 + row)];
        }
        check::DeviceBuffer<float> dm(m);
        cholesky_in_shared<<<count, 16>>>(dm);
        for (int b = 0; b < count; ++b) {
            float *a = &m[b * 256];
            for (int k = 0; k < 16; ++k) {
                a[k * 17] = std::sqrt(a[k * 17]);
                for (int row = k + 1; row < 16; ++row) {
                    a[row * 16 + k] /= a[k * 17];
                }
                for (int row = k + 1; row < 16; ++row) {
                    for (int c = k + 1; c <= row; ++c) {
                        a[row * 16 + c] = fmaf(-a[row * 16 + k], a[c * 16 + k], a[row * 16 + c]);
                    }
                }
            }
            for (int i = 0; i < 256; ++i) {
                a[i] = i % 16 <= i / 16 ? a[i] : 0.0f;
            }
        }
        check::exact("cholesky_in_shared", dm.to_host(), m);
    }
    {
        const int count = 20;
        auto m = check::reals<double>(count * 1024, 233, -1, 1), side = check::reals<double>(count * 32, 234, -1, 1);
        for (int i = 0; i < count * 32; ++i) {
            m[i / 32 * 1024 + i % 32 * 33] += 8.0;
        }
        check::DeviceBuffer<double> dm(m), dside(side);
        triangular_solve_in_warp<<<count / 4, 128>>>(count, dm, dside);
        for (int system = 0; system < count; ++system) {
            double *b = &side[system * 32];
            for (int k = 0; k < 32; ++k) {
                b[k] /= m[system * 1024 + k * 33];
                for (int row = k + 1; row < 32; ++row) {
                    b[row] = std::fma(-m[system * 1024 + row * 32 + k], b[k], b[row]);
                }
            }
        }
        check::exact("triangular_solve_in_warp", dside.to_host(), side);
    }
    {
        const int count = 8;
        auto m = check::reals<double>(count * 144, 235, -1, 1);
        for (int i = 0; i < count * 12; ++i) {
            m[i / 12 * 144 + i % 12 * 13] += 10.0;
        }
        check::DeviceBuffer<double> dm(m), dinverse(count * 144);
        inverse_gauss_jordan<<<count, dim3(24, 12)>>>(dm, dinverse);
        auto inverse = dinverse.to_host();
        std::vector<double> product(count * 144), identity(count * 144);
        for (int i = 0; i < count * 144; ++i) {
            int base = i / 144 * 144, row = i / 12 % 12, column = i % 12;
            identity[i] = row == column;
            for (int k = 0; k < 12; ++k) {
                product[i] += m[base + row * 12 + k] * inverse[base + k * 12 + column];
            }
        }
        check::approximate("inverse_gauss_jordan", product, identity, 0, 1e-12);
    }
    {
        const int count = 1000;
        auto m = check::reals<float>(count * 16, 236, -1, 1);
        check::DeviceBuffer<float> dm(m);
        givens_in_registers<<<(count + 127) / 128, 128>>>(count, dm);
        for (int i = 0; i < count; ++i) {
            givens_triangle(&m[i * 16]);
        }
        check::exact("givens_in_registers", dm.to_host(), m);
    }
    {
        const int count = 1500;
        auto m = check::integers<int>(count * 25, 237, -4, 4);
        check::DeviceBuffer<int> dm(m);
        check::DeviceBuffer<long long> ddeterminants(count);
        determinant_bareiss<<<(count + 127) / 128, 128>>>(count, dm, ddeterminants);
        std::vector<long long> determinants(count);
        for (int i = 0; i < count; ++i) {
            // By the sum over all permutations, in the order of Heap's algorithm.
            int p[5] = {0, 1, 2, 3, 4}, c[5] = {};
            long long sign = 1;
            auto term = [&] {
                long long product = sign;
                for (int k = 0; k < 5; ++k) {
                    product *= m[i * 25 + k * 5 + p[k]];
                }
                return product;
            };
            determinants[i] = term();
            for (int k = 0; k < 5;) {
                if (c[k] < k) {
                    std::swap(p[k % 2 == 0 ? 0 : c[k]], p[k]);
                    sign = -sign;
                    determinants[i] += term();
                    ++c[k];
                    k = 0;
                } else {
                    c[k++] = 0;
                }
            }
        }
        check::exact("determinant_bareiss", ddeterminants.to_host(), determinants);
    }
    return check::finish();
}
