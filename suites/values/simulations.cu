// Simulations and fractals: n-body, Mandelbrot, game of life, wave equation, Collatz steps, cellular automaton in bits.
#include "support/check.cuh"

__global__ void nbody_forces(int n, const float4 *body, float4 *force) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 mine = body[i];
    float fx = 0, fy = 0, fz = 0;
    for (int base = 0; base < n; base += 128) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; ++j) {
            float4 other = tile[j];
            float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float strength = other.w * inverse * inverse * inverse;
            fx += dx * strength;
            fy += dy * strength;
            fz += dz * strength;
        }
        __syncthreads();
    }
    force[i] = make_float4(fx, fy, fz, 0);
}

// Written with explicit fused steps: the number of iterations is then the same everywhere.
__host__ __device__ inline int mandelbrot_steps(float cx, float cy) {
    float x = 0, y = 0;
    int step = 0;
    for (; step < 120; ++step) {
        float y2 = y * y;
        if (fmaf(x, x, y2) > 4.0f) {
            break;
        }
        float next = fmaf(x, x, -y2) + cx;
        y = fmaf(2.0f * x, y, cy);
        x = next;
    }
    return step;
}

__global__ void mandelbrot(int width, int height, unsigned char *steps) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < width && py < height) {
        steps[py * width + px] = static_cast<unsigned char>(
            mandelbrot_steps(fmaf(static_cast<float>(px), 0.015625f, -2.0f), fmaf(static_cast<float>(py), 0.03125f, -1.0f)));
    }
}

__global__ void life_step(int width, int height, const unsigned char *in, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int alive = 0;
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
            }
        }
        unsigned char cell = in[y * width + x];
        out[y * width + x] = alive == 3 || (alive == 4 && cell);
    }
}

// All steps in one launch: the line fits into shared memory.
__global__ void wave_equation(int steps, const double *start, double *end) {
    __shared__ double line[3][256];
    int t = threadIdx.x;
    line[0][t] = line[1][t] = start[blockIdx.x * 256 + t];
    for (int step = 0; step < steps; ++step) {
        double *before = line[step % 3], *now = line[(step + 1) % 3], *after = line[(step + 2) % 3];
        __syncthreads();
        double left = t > 0 ? now[t - 1] : 0, right = t < 255 ? now[t + 1] : 0;
        double bend = __dadd_rn(__dadd_rn(left, right), __dmul_rn(-2.0, now[t]));
        after[t] = fma(0.25, bend, fma(2.0, now[t], -before[t]));
    }
    end[blockIdx.x * 256 + t] = line[(steps + 1) % 3][t];
}

__global__ void collatz_steps(int n, int *steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long value = i + 1;
        int count = 0;
        while (value != 1) {
            value = value % 2 == 0 ? value / 2 : 3 * value + 1;
            ++count;
        }
        steps[i] = count;
    }
}

// Rule 110, 32 cells in each thread, neighbours by funnel shifts.
__global__ void automaton_rule_110(int steps, unsigned *cells) {
    __shared__ unsigned row[2][64];
    int t = threadIdx.x;
    row[0][t] = cells[blockIdx.x * 64 + t];
    for (int step = 0; step < steps; ++step) {
        __syncthreads();
        unsigned *now = row[step % 2], *next = row[(step + 1) % 2];
        unsigned before = now[(t + 63) % 64], here = now[t], after = now[(t + 1) % 64];
        unsigned left = __funnelshift_l(before, here, 1), right = __funnelshift_r(here, after, 1);
        next[t] = (here | right) & ~(left & here & right);
    }
    cells[blockIdx.x * 64 + t] = row[steps % 2][t];
}

int main() {
    {
        const int n = 512;
        auto body = check::reals<float>(n * 4, 221, 0.1, 1);
        check::DeviceBuffer<float> dbody(body), dforce(n * 4);
        nbody_forces<<<n / 128, 128>>>(n, reinterpret_cast<float4 *>((float *)dbody),
                                       reinterpret_cast<float4 *>((float *)dforce));
        std::vector<double> force(n * 4);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double d[3], square = 0.01;
                for (int k = 0; k < 3; ++k) {
                    d[k] = static_cast<double>(body[j * 4 + k]) - body[i * 4 + k];
                    square += d[k] * d[k];
                }
                double strength = body[j * 4 + 3] / (square * std::sqrt(square));
                for (int k = 0; k < 3; ++k) {
                    force[i * 4 + k] += d[k] * strength;
                }
            }
        }
        check::approximate("nbody_forces", dforce.to_host(), force, 1e-4, 2e-2);
    }
    {
        const int width = 170, height = 64;
        check::DeviceBuffer<unsigned char> dsteps(width * height);
        mandelbrot<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(width, height, dsteps);
        std::vector<unsigned char> steps(width * height);
        for (int i = 0; i < width * height; ++i) {
            steps[i] = static_cast<unsigned char>(mandelbrot_steps(fmaf(static_cast<float>(i % width), 0.015625f, -2.0f),
                                                                   fmaf(static_cast<float>(i / width), 0.03125f, -1.0f)));
        }
        check::exact("mandelbrot", dsteps.to_host(), steps);
    }
    {
        const int width = 70, height = 50;
        auto cells = check::integers<unsigned char>(width * height, 222, 0, 1);
        check::DeviceBuffer<unsigned char> first(cells), second(width * height);
        for (int step = 0; step < 12; ++step) {
            life_step<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(
                width, height, step % 2 == 0 ? first : second, step % 2 == 0 ? second : first);
            std::vector<unsigned char> next(cells.size());
            for (int y = 0; y < height; ++y) {
                for (int x = 0; x < width; ++x) {
                    int alive = 0;
                    for (int k = 0; k < 9; ++k) {
                        alive += k == 4 ? 0 : cells[(y + k / 3 - 1 + height) % height * width + (x + k % 3 - 1 + width) % width];
                    }
                    next[y * width + x] = alive == 3 || (alive == 2 && cells[y * width + x]);
                }
            }
            cells = next;
        }
        check::exact("life_step", first.to_host(), cells);
    }
    {
        const int rows = 4, steps = 50;
        auto start = check::reals<double>(rows * 256, 223, -1, 1);
        check::DeviceBuffer<double> dstart(start), dend(rows * 256);
        wave_equation<<<rows, 256>>>(steps, dstart, dend);
        auto before = start, now = start;
        for (int step = 0; step < steps; ++step) {
            std::vector<double> after(rows * 256);
            for (int i = 0; i < rows * 256; ++i) {
                double left = i % 256 > 0 ? now[i - 1] : 0, right = i % 256 < 255 ? now[i + 1] : 0;
                double bend = (left + right) + -2.0 * now[i];
                after[i] = std::fma(0.25, bend, std::fma(2.0, now[i], -before[i]));
            }
            before = now;
            now = after;
        }
        check::exact("wave_equation", dend.to_host(), now);
    }
    {
        const int n = 5000;
        check::DeviceBuffer<int> dsteps(n);
        collatz_steps<<<(n + 127) / 128, 128>>>(n, dsteps);
        std::vector<int> steps(n);
        for (int i = 0; i < n; ++i) {
            for (unsigned long long value = i + 1; value != 1; ++steps[i]) {
                value = value % 2 == 0 ? value / 2 : 3 * value + 1;
            }
        }
        check::exact("collatz_steps", dsteps.to_host(), steps);
    }
    {
        const int rows = 6, steps = 77;
        auto cells = check::patterns<unsigned>(rows * 64, 224);
        check::DeviceBuffer<unsigned> dcells(cells);
        automaton_rule_110<<<rows, 64>>>(steps, dcells);
        for (int row = 0; row < rows; ++row) {
            std::vector<int> now(2048);
            for (int i = 0; i < 2048; ++i) {
                now[i] = cells[row * 64 + i / 32] >> (i % 32) & 1;
            }
            for (int step = 0; step < steps; ++step) {
                std::vector<int> next(2048);
                for (int i = 0; i < 2048; ++i) {
                    int pattern = now[(i + 2047) % 2048] * 4 + now[i] * 2 + now[(i + 1) % 2048];
                    next[i] = 110 >> pattern & 1;
                }
                now = next;
            }
            for (int w = 0; w < 64; ++w) {
                cells[row * 64 + w] = 0;
                for (int bit = 0; bit < 32; ++bit) {
                    cells[row * 64 + w] |= static_cast<unsigned>(now[w * 32 + bit]) << bit;
                }
            }
        }
        check::exact("automaton_rule_110", dcells.to_host(), cells);
    }
    return check::finish();
}
