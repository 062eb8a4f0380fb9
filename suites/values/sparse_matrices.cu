// Sparse matrix times vector: CSR by rows and by warps, COO with atomics, ELL, transposed product, block CSR.
#include "support/check.cuh"

#include <algorithm>

__global__ void spmv_csr_rows(int rows, const int *start, const int *column, const float *value, const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int e = start[row]; e < start[row + 1]; ++e) {
            sum = fmaf(value[e], x[column[e]], sum);
        }
        y[row] = sum;
    }
}

__global__ void spmv_csr_warps(int rows, const int *start, const int *column, const float *value, const float *x,
                               float *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    if (row < rows) {
        for (int e = start[row] + lane; e < start[row + 1]; e += 32) {
            sum += value[e] * x[column[e]];
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    }
    if (lane == 0 && row < rows) {
        y[row] = sum;
    }
}

__global__ void spmv_coo_atomics(int entries, const int *row, const int *column, const float *value, const double *x,
                                 double *y) {
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < entries; e += gridDim.x * blockDim.x) {
        atomicAdd(&y[row[e]], static_cast<double>(value[e]) * x[column[e]]);
    }
}

// The entries of one column of the padded table stand together; -1 marks an empty place.
__global__ void spmv_ell(int rows, int width, const int *column, const float *value, const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = 0; k < width; ++k) {
            int c = column[k * rows + row];
            if (c >= 0) {
                sum = fmaf(value[k * rows + row], x[c], sum);
            }
        }
        y[row] = sum;
    }
}

__global__ void spmv_transposed(int rows, const int *start, const int *column, const float *value, const float *x,
                                float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        for (int e = start[row]; e < start[row + 1]; ++e) {
            atomicAdd(&y[column[e]], value[e] * x[row]);
        }
    }
}

// Blocks of 4 by 4: four lanes for each block row, the vector read four at a time.
__global__ void spmv_block_csr(int block_rows, const int *start, const int *column, const float4 *value, const float4 *x,
                               float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < block_rows * 4) {
        float sum = 0;
        for (int e = start[row / 4]; e < start[row / 4 + 1]; ++e) {
            float4 v = value[e * 4 + row % 4], w = x[column[e]];
            sum = fmaf(v.x, w.x, sum);
            sum = fmaf(v.y, w.y, sum);
            sum = fmaf(v.z, w.z, sum);
            sum = fmaf(v.w, w.w, sum);
        }
        y[row] = sum;
    }
}

int main() {
    // Whole numbers: every order of the sums gives the same bits.
    const int rows = 1500, columns = 1100;
    check::Random random(211);
    std::vector<int> start{0}, column, entry_row;
    std::vector<float> value;
    int width = 0;
    for (int row = 0; row < rows; ++row) {
        int length = static_cast<int>(random.below(row % 50 == 7 ? 90 : 12));
        std::vector<int> picked;
        for (int i = 0; i < length; ++i) {
            picked.push_back(static_cast<int>(random.below(columns)));
        }
        std::sort(picked.begin(), picked.end());
        picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
        for (int c : picked) {
            column.push_back(c);
            entry_row.push_back(row);
            value.push_back(static_cast<float>(static_cast<int>(random.below(201)) - 100));
        }
        start.push_back(static_cast<int>(column.size()));
        width = std::max(width, static_cast<int>(picked.size()));
    }
    const int entries = static_cast<int>(column.size());
    auto x = check::integers<float>(columns, 212, -50, 50);
    std::vector<float> y(rows);
    for (int e = 0; e < entries; ++e) {
        y[entry_row[e]] += value[e] * x[column[e]];
    }
    check::DeviceBuffer<int> dstart(start), dcolumn(column), drow(entry_row);
    check::DeviceBuffer<float> dvalue(value), dx(x);
    const int blocks = (rows + 127) / 128;
    {
        check::DeviceBuffer<float> dy(rows);
        spmv_csr_rows<<<blocks, 128>>>(rows, dstart, dcolumn, dvalue, dx, dy);
        check::exact("spmv_csr_rows", dy.to_host(), y);
    }
    {
        check::DeviceBuffer<float> dy(rows);
        spmv_csr_warps<<<(rows * 32 + 127) / 128, 128>>>(rows, dstart, dcolumn, dvalue, dx, dy);
        // -0 and 0 may differ between the orders; adding 0 makes them one.
        auto got = dy.to_host(), expected = y;
        for (int i = 0; i < rows; ++i) {
            got[i] += 0.0f;
            expected[i] += 0.0f;
        }
        check::exact("spmv_csr_warps", got, expected);
    }
    {
        std::vector<double> wide_x(x.begin(), x.end()), wide_y(y.begin(), y.end());
        check::DeviceBuffer<double> dwide_x(wide_x), dwide_y(rows);
        spmv_coo_atomics<<<20, 128>>>(entries, drow, dcolumn, dvalue, dwide_x, dwide_y);
        auto got = dwide_y.to_host();
        for (int i = 0; i < rows; ++i) {
            got[i] += 0.0;
            wide_y[i] += 0.0;
        }
        check::exact("spmv_coo_atomics", got, wide_y);
    }
    {
        std::vector<int> padded_column(width * rows, -1);
        std::vector<float> padded_value(width * rows);
        for (int row = 0; row < rows; ++row) {
            for (int e = start[row]; e < start[row + 1]; ++e) {
                padded_column[(e - start[row]) * rows + row] = column[e];
                padded_value[(e - start[row]) * rows + row] = value[e];
            }
        }
        check::DeviceBuffer<int> dpadded_column(padded_column);
        check::DeviceBuffer<float> dpadded_value(padded_value), dy(rows);
        spmv_ell<<<blocks, 128>>>(rows, width, dpadded_column, dpadded_value, dx, dy);
        check::exact("spmv_ell", dy.to_host(), y);
    }
    {
        auto left = check::integers<float>(rows, 213, -50, 50);
        std::vector<float> product(columns);
        for (int e = 0; e < entries; ++e) {
            product[column[e]] += value[e] * left[entry_row[e]];
        }
        check::DeviceBuffer<float> dleft(left), dproduct(columns);
        spmv_transposed<<<blocks, 128>>>(rows, dstart, dcolumn, dvalue, dleft, dproduct);
        auto got = dproduct.to_host();
        for (int i = 0; i < columns; ++i) {
            got[i] += 0.0f;
            product[i] += 0.0f;
        }
        check::exact("spmv_transposed", got, product);
    }
    {
        const int block_rows = 200, block_columns = 150;
        std::vector<int> block_start{0}, block_column;
        for (int row = 0; row < block_rows; ++row) {
            int length = static_cast<int>(random.below(7));
            for (int i = 0; i < length; ++i) {
                block_column.push_back(static_cast<int>(random.below(block_columns)));
            }
            block_start.push_back(static_cast<int>(block_column.size()));
        }
        auto block_value = check::reals<float>(block_column.size() * 16, 214, -1, 1);
        auto block_x = check::reals<float>(block_columns * 4, 215, -1, 1);
        check::DeviceBuffer<int> dblock_start(block_start), dblock_column(block_column);
        check::DeviceBuffer<float> dblock_value(block_value), dblock_x(block_x), dy(block_rows * 4);
        spmv_block_csr<<<(block_rows * 4 + 127) / 128, 128>>>(block_rows, dblock_start, dblock_column,
                                                              reinterpret_cast<float4 *>((float *)dblock_value),
                                                              reinterpret_cast<float4 *>((float *)dblock_x), dy);
        std::vector<float> block_y(block_rows * 4);
        for (int row = 0; row < block_rows * 4; ++row) {
            for (int e = block_start[row / 4]; e < block_start[row / 4 + 1]; ++e) {
                for (int k = 0; k < 4; ++k) {
                    block_y[row] = fmaf(block_value[e * 16 + row % 4 * 4 + k], block_x[block_column[e] * 4 + k], block_y[row]);
                }
            }
        }
        check::exact("spmv_block_csr", dy.to_host(), block_y);
    }
    return check::finish();
}
