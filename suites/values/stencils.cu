// Stencils in one, two and three dimensions: shared halos, byte blur, ping-pong Jacobi steps.
#include "support/check.cuh"

constexpr int RADIUS = 3;

__global__ void stencil_line_shared(int n, const int *in, int *out) {
    __shared__ int tile[256 + 2 * RADIUS];
    int i = blockIdx.x * 256 + threadIdx.x;
    int t = threadIdx.x + RADIUS;
    tile[t] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        int left = i - RADIUS;
        int right = i + 256;
        tile[threadIdx.x] = left >= 0 ? in[left] : 0;
        tile[t + 256] = right < n ? in[right] : 0;
    }
    __syncthreads();
    if (i < n) {
        int sum = 0;
        for (int d = -RADIUS; d <= RADIUS; ++d) {
            sum += (d + 5) * tile[t + d];
        }
        out[i] = sum;
    }
}

__global__ void stencil_plane_five_point(int width, int height, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        const float *p = in + y * width + x;
        float v = fmaf(0.5f, p[0], 0.125f * p[-1]);
        v = fmaf(0.125f, p[1], v);
        v = fmaf(0.125f, p[-width], v);
        out[y * width + x] = fmaf(0.125f, p[width], v);
    }
}

__global__ void stencil_volume_seven_point(int nx, int ny, int nz, const int *in, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) {
        return;
    }
    auto at = [=](int i, int j, int k) {
        return i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz ? 0 : in[(k * ny + j) * nx + i];
    };
    out[(z * ny + y) * nx + x] = 6 * at(x, y, z) - at(x - 1, y, z) - at(x + 1, y, z) - at(x, y - 1, z) -
                                 at(x, y + 1, z) - at(x, y, z - 1) - at(x, y, z + 1);
}

__global__ void blur_bytes_clamped(int width, int height, const unsigned char *in, unsigned char *out) {
    __shared__ unsigned char tile[18][34];
    for (int j = threadIdx.y; j < 18; j += 16) {
        for (int i = threadIdx.x; i < 34; i += 32) {
            int x = min(max(int(blockIdx.x * 32 + i) - 1, 0), width - 1);
            int y = min(max(int(blockIdx.y * 16 + j) - 1, 0), height - 1);
            tile[j][i] = in[y * width + x];
        }
    }
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) {
        unsigned sum = 0;
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 3; ++i) {
                sum += tile[threadIdx.y + j][threadIdx.x + i];
            }
        }
        out[y * width + x] = static_cast<unsigned char>(sum / 9);
    }
}

__global__ void jacobi_step_double(int n, const double *in, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double left = i > 0 ? in[i - 1] : 1.0;
        double right = i < n - 1 ? in[i + 1] : -1.0;
        out[i] = 0.5 * (left + right);
    }
}

int main() {
    {
        const int n = 40000;
        auto in = check::integers<int>(n, 11, -1000, 1000);
        check::DeviceBuffer<int> din(in), dout(n);
        stencil_line_shared<<<(n + 255) / 256, 256>>>(n, din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            for (int d = -RADIUS; d <= RADIUS; ++d) {
                out[i] += i + d >= 0 && i + d < n ? (d + 5) * in[i + d] : 0;
            }
        }
        check::exact("stencil_line_shared", dout.to_host(), out);
    }
    {
        const int width = 301, height = 97;
        auto in = check::reals<float>(width * height, 12, -1, 1);
        check::DeviceBuffer<float> din(in), dout(width * height);
        stencil_plane_five_point<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(width, height, din, dout);
        std::vector<float> out(width * height);
        for (int y = 1; y < height - 1; ++y) {
            for (int x = 1; x < width - 1; ++x) {
                const float *p = &in[y * width + x];
                float v = fmaf(0.5f, p[0], 0.125f * p[-1]);
                v = fmaf(0.125f, p[1], v);
                v = fmaf(0.125f, p[-width], v);
                out[y * width + x] = fmaf(0.125f, p[width], v);
            }
        }
        check::exact("stencil_plane_five_point", dout.to_host(), out);
    }
    {
        const int nx = 37, ny = 21, nz = 18;
        auto in = check::integers<int>(nx * ny * nz, 13, -50, 50);
        check::DeviceBuffer<int> din(in), dout(nx * ny * nz);
        dim3 block(8, 4, 4);
        dim3 grid((nx + 7) / 8, (ny + 3) / 4, (nz + 3) / 4);
        stencil_volume_seven_point<<<grid, block>>>(nx, ny, nz, din, dout);
        std::vector<int> out(nx * ny * nz);
        const int step[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
        for (int z = 0; z < nz; ++z) {
            for (int y = 0; y < ny; ++y) {
                for (int x = 0; x < nx; ++x) {
                    int v = 6 * in[(z * ny + y) * nx + x];
                    for (auto &s : step) {
                        int i = x + s[0], j = y + s[1], k = z + s[2];
                        if (i >= 0 && j >= 0 && k >= 0 && i < nx && j < ny && k < nz) {
                            v -= in[(k * ny + j) * nx + i];
                        }
                    }
                    out[(z * ny + y) * nx + x] = v;
                }
            }
        }
        check::exact("stencil_volume_seven_point", dout.to_host(), out);
    }
    {
        const int width = 150, height = 83;
        auto in = check::integers<unsigned char>(width * height, 14, 0, 255);
        check::DeviceBuffer<unsigned char> din(in), dout(width * height);
        blur_bytes_clamped<<<dim3((width + 31) / 32, (height + 15) / 16), dim3(32, 16)>>>(width, height, din, dout);
        std::vector<unsigned char> out(width * height);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                unsigned sum = 0;
                for (int j = y - 1; j <= y + 1; ++j) {
                    for (int i = x - 1; i <= x + 1; ++i) {
                        int ci = i < 0 ? 0 : i >= width ? width - 1 : i;
                        int cj = j < 0 ? 0 : j >= height ? height - 1 : j;
                        sum += in[cj * width + ci];
                    }
                }
                out[y * width + x] = static_cast<unsigned char>(sum / 9);
            }
        }
        check::exact("blur_bytes_clamped", dout.to_host(), out);
    }
    {
        const int n = 5000, steps = 20;
        auto state = check::reals<double>(n, 15, -1, 1);
        check::DeviceBuffer<double> first(state), second(n);
        for (int s = 0; s < steps; s += 2) {
            jacobi_step_double<<<(n + 127) / 128, 128>>>(n, first, second);
            jacobi_step_double<<<(n + 127) / 128, 128>>>(n, second, first);
        }
        for (int s = 0; s < steps; ++s) {
            std::vector<double> next(n);
            for (int i = 0; i < n; ++i) {
                next[i] = 0.5 * ((i > 0 ? state[i - 1] : 1.0) + (i < n - 1 ? state[i + 1] : -1.0));
            }
            state = next;
        }
        check::exact("jacobi_step_double", first.to_host(), state);
    }
    return check::finish();
}
