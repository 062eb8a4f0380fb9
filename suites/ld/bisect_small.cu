// Eigenvalues of a symmetric tridiagonal matrix by bisection, in one block. Intervals, with the numbers of eigenvalues below
// their ends, are in shared memory, and each thread halves one of them in every round. If both halves have eigenvalues the
// thread needs a place for one more; a scan over all threads says which. In the end the block adds all eigenvalues.
//
// Race 1: no barrier between two steps of that sum. Race 2: the last thread of each warp, not only of the block, says how many
// intervals there are. Race 3: the first thread of each warp gives what it has added, not only that of the block.
//@ races: 3
#include "support/application.h"

constexpr int THREADS = 512;
constexpr int WARP = 32;
constexpr int ROUNDS = 24;

// How many eigenvalues are below a number: as many as there are negative pivots (Sturm).
__device__ __forceinline__ int count_below(const float* diagonal, const float* squares, int size, float number) {
    int count = 0;
    float pivot = 1;
    for (int at = 0; at < size; ++at) {
        pivot = diagonal[at] - number - squares[at] / pivot;
        pivot = fabsf(pivot) < 1e-10f ? -1e-10f : pivot;
        count += pivot < 0 ? 1 : 0;
    }
    return count;
}

template <int RACE>
__global__ void bisect(const float* diagonal, const float* squares, float* lower, float* upper, float* trace, float low,
                       float high, int size) {
    __shared__ float left[THREADS], right[THREADS];
    __shared__ int below_left[THREADS], below_right[THREADS], splits[THREADS];
    __shared__ int intervals;
    const int thread = threadIdx.x;
    if (thread == 0) {
        left[0] = low;
        right[0] = high;
        below_left[0] = 0;
        below_right[0] = size;
        intervals = 1;
    }
    __syncthreads();
    for (int round = 0; round < ROUNDS; ++round) {
        const int count = intervals;
        const bool is_active = thread < count;
        float middle = 0;
        int below = 0;
        bool is_split = false;
        if (is_active) {
            middle = 0.5f * (left[thread] + right[thread]);
            // Rounding must not take it out of the interval.
            below = count_below(diagonal, squares, size, middle);
            below = max(below_left[thread], min(below, below_right[thread]));
            is_split = below > below_left[thread] && below < below_right[thread];
        }
        int sum = is_split ? 1 : 0;
        splits[thread] = sum;
        __syncthreads();
        for (int distance = 1; distance < THREADS; distance *= 2) {
            const int other = thread >= distance ? splits[thread - distance] : 0;
            __syncthreads();
            sum += other;
            splits[thread] = sum;
            __syncthreads();
        }
        if (is_split) {
            const int place = min(count + sum, THREADS) - 1;
            left[place] = middle;
            right[place] = right[thread];
            below_left[place] = below;
            below_right[place] = below_right[thread];
        }
        if (is_active && below > below_left[thread]) {
            right[thread] = middle;
            below_right[thread] = below;
        } else if (is_active) {
            left[thread] = middle;
        }
        if (RACE == 2 ? thread % WARP == WARP - 1 : thread == THREADS - 1) {
            // In a round in which many are split, most warps write something that was not there.
            intervals = min(count + sum, THREADS);  //~ [race 2] [hb, ld] race: missing-sync (with itself)
        }
        __syncthreads();
    }
    float value = 0;
    if (thread < intervals) {
        value = 0.5f * (left[thread] + right[thread]) * float(below_right[thread] - below_left[thread]);
        // One, unless several are so close that no round could part them.
        for (int at = below_left[thread]; at < below_right[thread]; ++at) {
            lower[at] = left[thread];
            upper[at] = right[thread];
        }
    }
    left[thread] = value;
    __syncthreads();
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        if (thread < distance) {
            const float other = left[thread + distance];  //~ [race 1] [hb, ld] race: missing-sync (with line 97)
            left[thread] += other;
        }
        if (RACE != 1 || distance != 2 * WARP) {
            __syncthreads();
        }
    }
    if (RACE == 3 ? thread % WARP == 0 : thread == 0) {
        *trace = left[thread];  //~ [race 3] [hb, ld] race: missing-sync (with itself)
    }
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 3);
    const int size = options.is_paper ? THREADS : 128;
    std::vector<float> diagonal(size), squares(size);
    double expected = 0;
    ld::Numbers random(2);
    for (int at = 0; at < size; ++at) {
        diagonal[at] = random.between(-4, 4);
        squares[at] = at == 0 ? 0 : random.between(0.1f, 1);
        expected += diagonal[at];
    }
    // Circles of Gershgorin: numbers beside the diagonal are at most 1.
    ld::Buffer<float> diagonal_(diagonal), squares_(squares), lower(size), upper(size), trace(1);
    ld::repeat<3>("bisect_small", options, [&](auto race) {
        bisect<decltype(race)::value><<<1, THREADS>>>(diagonal_.device(), squares_.device(), lower.device(), upper.device(),
                                                      trace.device(), -6, 6, size);
    });
    const auto below = [&](double number) {
        int negative = 0;
        double pivot = 1;
        for (int at = 0; at < size; ++at) {
            pivot = diagonal[at] - number - squares[at] / pivot;
            negative += pivot < 0 ? 1 : 0;
        }
        return negative;
    };
    const std::vector<float> found_lower = lower.host(), found_upper = upper.host();
    bool is_right = ld::is_near(trace.host()[0], expected, 1e-3 * size);
    for (int at = 0; at < size; ++at) {
        is_right &= below(found_lower[at] - 1e-4) <= at && below(found_upper[at] + 1e-4) > at;
        is_right &= found_upper[at] - found_lower[at] < 1e-4f;
    }
    return ld::finish("bisect_small", options, is_right);
}
