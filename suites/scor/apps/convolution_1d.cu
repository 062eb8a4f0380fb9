// A convolution of an array with nine numbers. Each thread adds what its element contributes to the nine results around it:
// by atomics of block scope where only its block does so, and of device scope near the borders of a block.
//
// Race 1: block scope near the borders, too.
//@ races: 1
#include "../support/application.h"

constexpr unsigned THREADS = 256;
constexpr int REACH = 4;

template <int RACE>
__global__ void convolve(const int* in, const int* weights, int* out, int count) {
    const int first = blockIdx.x * THREADS;
    const int at = first + threadIdx.x;
    for (int step = -REACH; step <= REACH; ++step) {
        const int target = at + step;
        if (target < 0 || target >= count) {
            continue;
        }
        const bool is_inside = target >= first + REACH && target < first + int(THREADS) - REACH;
        const int part = in[at] * weights[step + REACH];
        if (is_inside || RACE == 1) {
            atomicAdd_block(out + target, part);  //~ [race 1] [scord] race: scope (with itself) by scord IV(d)  //~ [race 1] [iguard] race: scope (with itself) by iguard R1  //~ [race 1] [hb] race: scope (with itself) by hb "block-scope atomics from two blocks race"
        } else {
            atomicAdd(out + target, part);
        }
    }
}

int main(int count, char** words) {
    const scor::Options options = scor::read_options(count, words, 1);
    const int elements = options.size == scor::Size::paper ? 1 << 20 : 1 << 11;
    const std::vector<int> filter = {1, -2, 3, 5, 7, 5, 3, -2, 1};
    std::vector<int> numbers(elements), expected(elements);
    scor::Numbers random(9);
    for (int& number : numbers) {
        number = int(random.below(200)) - 100;
    }
    for (int at = 0; at < elements; ++at) {
        for (int step = -REACH; step <= REACH; ++step) {
            if (at + step >= 0 && at + step < elements) {
                expected[at + step] += numbers[at] * filter[step + REACH];
            }
        }
    }
    scor::Buffer<int> in(numbers), weights(filter), out(elements);
    scor::with_race<1>(options.race, [&](auto race) {
        convolve<decltype(race)::value>
            <<<elements / THREADS, THREADS>>>(in.device(), weights.device(), out.device(), elements);
    });
    return scor::finish("convolution_1d", options, out.host() == expected);
}
