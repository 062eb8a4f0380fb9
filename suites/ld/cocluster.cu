// The step of co-clustering that assigns the rows of a matrix to clusters, for given clusters of its columns. A thread adds its
// row by clusters of columns, in shared memory, and compares that with what each cluster of rows has. The block finds its sums
// and how far its farthest row is from its cluster: by exchanges over distances that are powers of two, first all read, then
// all write.
//
// Race 1: in sums, no barrier between reading and writing, where partners are of different warps. Race 2: the same in the
// largest distance. Race 3: sums, which are the same in all warps, are taken from the second one, which goes on meanwhile.
//@ races: 3
#include "support/application.h"

constexpr int THREADS = 256;
constexpr int WARP = 32;
constexpr int ROW_CLUSTERS = 10;
constexpr int COLUMN_CLUSTERS = 15;

template <int RACE>
__global__ void assign_rows(const float* matrix, const int* column_clusters, const float* expected, int* row_clusters,
                            float* block_sums, float* block_farthest, int rows, int columns) {
    __shared__ float sums[THREADS * COLUMN_CLUSTERS];
    __shared__ float clusters[ROW_CLUSTERS * COLUMN_CLUSTERS];
    const int thread = threadIdx.x;
    const int row = blockIdx.x * THREADS + thread;
    float* own = sums + thread * COLUMN_CLUSTERS;
    if (thread < ROW_CLUSTERS * COLUMN_CLUSTERS) {
        clusters[thread] = expected[thread];
    }
    for (int at = 0; at < COLUMN_CLUSTERS; ++at) {
        own[at] = 0;
    }
    for (int column = 0; column < columns; ++column) {
        own[column_clusters[column]] += matrix[column * rows + row];
    }
    __syncthreads();
    int best = 0;
    float least = 1e30f;
    for (int cluster = 0; cluster < ROW_CLUSTERS; ++cluster) {
        float distance = 0;
        for (int at = 0; at < COLUMN_CLUSTERS; ++at) {
            const float difference = own[at] - clusters[cluster * COLUMN_CLUSTERS + at];
            distance += difference * difference;
        }
        best = distance < least ? cluster : best;
        least = fminf(distance, least);
    }
    row_clusters[row] = best;

    for (int at = 0; at < COLUMN_CLUSTERS; ++at) {
        for (int distance = 1; distance < THREADS; distance *= 2) {
            const float other = sums[(thread ^ distance) * COLUMN_CLUSTERS + at];  //~ [race 1] [hb, ld] race: missing-sync (with line 53)
            if (RACE != 1 || distance < WARP) {
                __syncthreads();
            }
            own[at] += other;
            __syncthreads();
        }
    }
    if (thread < COLUMN_CLUSTERS) {
        block_sums[blockIdx.x * COLUMN_CLUSTERS + thread] = own[(RACE == 3 ? WARP * COLUMN_CLUSTERS : 0) + thread];  //~ [race 3] [hb, ld] race: missing-sync (with line 61)
    }

    own[0] = least;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        const float other = sums[(thread ^ distance) * COLUMN_CLUSTERS];  //~ [race 2] [hb] race: missing-sync (with line 70)  //~ [race 2] [ld] clean
        if (RACE != 2 || distance < WARP) {
            __syncthreads();
        }
        // LD does not see race 2, class 3 of section 4.7: who reads the maximum of both in place of the partner's writes the
        // maximum of both all the same.
        own[0] = fmaxf(own[0], other);
        __syncthreads();
    }
    if (thread == 0) {
        block_farthest[blockIdx.x] = own[0];
    }
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 3);
    const int blocks = options.is_paper ? 8 : 2;
    const int rows = blocks * THREADS;
    const int columns = options.is_paper ? 4096 : 64;
    // Small whole numbers, so that sums are the same in every order.
    std::vector<float> matrix(std::size_t(rows) * columns), expected(ROW_CLUSTERS * COLUMN_CLUSTERS);
    std::vector<float> sums(rows * COLUMN_CLUSTERS), totals(blocks * COLUMN_CLUSTERS);
    std::vector<int> of_column(columns);
    ld::Numbers random(15);
    for (float& number : expected) {
        number = float(columns / COLUMN_CLUSTERS * (1 + random.below(8)));
    }
    for (int column = 0; column < columns; ++column) {
        of_column[column] = int(random.below(COLUMN_CLUSTERS));
        for (int row = 0; row < rows; ++row) {
            const float number = float(random.below(10));
            matrix[std::size_t(column) * rows + row] = number;
            sums[row * COLUMN_CLUSTERS + of_column[column]] += number;
            totals[row / THREADS * COLUMN_CLUSTERS + of_column[column]] += number;
        }
    }
    ld::Buffer<float> matrix_(matrix), expected_(expected), block_sums(totals.size()), farthest(blocks);
    ld::Buffer<int> column_clusters(of_column), row_clusters(rows);
    ld::repeat<3>("cocluster", options, [&](auto race) {
        assign_rows<decltype(race)::value>
            <<<blocks, THREADS>>>(matrix_.device(), column_clusters.device(), expected_.device(), row_clusters.device(),
                                  block_sums.device(), farthest.device(), rows, columns);
    });
    const std::vector<int> found = row_clusters.host();
    const std::vector<float> found_farthest = farthest.host();
    bool is_right = block_sums.host() == totals;
    for (int block = 0; block < blocks; ++block) {
        double largest = 0;
        for (int row = block * THREADS; row < (block + 1) * THREADS; ++row) {
            double least = 1e30, of_found = 0;
            for (int cluster = 0; cluster < ROW_CLUSTERS; ++cluster) {
                double distance = 0;
                for (int at = 0; at < COLUMN_CLUSTERS; ++at) {
                    const double difference = sums[row * COLUMN_CLUSTERS + at] - expected[cluster * COLUMN_CLUSTERS + at];
                    distance += difference * difference;
                }
                least = std::fmin(distance, least);
                of_found = cluster == found[row] ? distance : of_found;
            }
            is_right &= ld::is_near(of_found, least, 1e-5);
            largest = std::fmax(largest, least);
        }
        is_right &= ld::is_near(found_farthest[block], largest, 1e-5);
    }
    return ld::finish("cocluster", options, is_right);
}
