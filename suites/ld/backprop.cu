// One step of learning in a network with 32 hidden units. Each warp adds up what a slice of the inputs gives to the units, one
// lane for each; a second kernel adds the slices and finds how wrong the units are, and a third one adjusts the weights.
//
// Race 1: slices of all blocks go to the place of the first block. Race 2: slices of a block go to the place of its first warp.
// Race 3: the last warp of all adds the slices already in the first kernel.
//@ races: 3
#include "support/application.h"

constexpr int BLOCKS = 8;
constexpr int THREADS = 256;
constexpr int UNITS = 32;
constexpr int WARPS = THREADS / UNITS;
constexpr int SLICES = BLOCKS * WARPS;
constexpr float RATE = 0.3f;
constexpr float MOMENTUM = 0.2f;

template <int RACE>
__global__ void forward(const float* inputs, const float* weights, float* slices, float* hidden, int per_slice) {
    const int unit = threadIdx.x % UNITS;
    const int warp = threadIdx.x / UNITS;
    const int slice = blockIdx.x * WARPS + warp;
    float sum = 0;
    for (int input = slice * per_slice; input < (slice + 1) * per_slice; ++input) {
        sum += inputs[input] * weights[input * UNITS + unit];
    }
    const int place = RACE == 1 ? warp : RACE == 2 ? blockIdx.x * WARPS : slice;
    slices[place * UNITS + unit] = sum;  //~ [race 1, 2] [hb, ld] race: missing-sync (with itself)
    if (RACE == 3 && slice == SLICES - 1) {
        float total = 0;
        for (int at = 0; at < SLICES; ++at) {
            total += slices[at * UNITS + unit];  //~ [race 3] [hb, ld] race: missing-sync (with line 27)
        }
        // By what is written here the values that were read can be told.
        hidden[unit] = total;
    }
}

__global__ void compare(const float* slices, const float* targets, float* hidden, float* deltas) {
    const int unit = threadIdx.x;
    float total = 0;
    for (int at = 0; at < SLICES; ++at) {
        total += slices[at * UNITS + unit];
    }
    const float output = 1 / (1 + expf(-total));
    hidden[unit] = output;
    deltas[unit] = output * (1 - output) * (targets[unit] - output);
}

__global__ void adjust(const float* inputs, const float* weights, const float* changes, const float* deltas,
                       float* new_weights, float* new_changes, int count) {
    for (int at = blockIdx.x * THREADS + threadIdx.x; at < count; at += BLOCKS * THREADS) {
        const float change = RATE * deltas[at % UNITS] * inputs[at / UNITS] + MOMENTUM * changes[at];
        new_weights[at] = weights[at] + change;
        new_changes[at] = change;
    }
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 3);
    const int per_slice = options.is_paper ? 64 : 4;
    const int inputs = SLICES * per_slice;
    const int cells = inputs * UNITS;
    std::vector<float> in(inputs), weights(cells), changes(cells), targets(UNITS);
    ld::Numbers random(7);
    for (float& input : in) {
        input = random.between(0.1f, 1);
    }
    for (int at = 0; at < cells; ++at) {
        weights[at] = random.between(-1, 1) / std::sqrt(float(inputs));
        changes[at] = random.between(-0.01f, 0.01f);
    }
    for (float& target : targets) {
        target = random.between(0, 1);
    }
    ld::Buffer<float> inputs_(in), weights_(weights), changes_(changes), targets_(targets), slices(SLICES * UNITS);
    ld::Buffer<float> hidden(UNITS), deltas(UNITS), new_weights(cells), new_changes(cells);
    ld::repeat<3>("backprop", options, [&](auto race) {
        forward<decltype(race)::value>
            <<<BLOCKS, THREADS>>>(inputs_.device(), weights_.device(), slices.device(), hidden.device(), per_slice);
        compare<<<1, UNITS>>>(slices.device(), targets_.device(), hidden.device(), deltas.device());
        adjust<<<BLOCKS, THREADS>>>(inputs_.device(), weights_.device(), changes_.device(), deltas.device(),
                                    new_weights.device(), new_changes.device(), cells);
    });
    const std::vector<float> found_weights = new_weights.host(), found_changes = new_changes.host();
    bool is_right = true;
    for (int unit = 0; unit < UNITS; ++unit) {
        double total = 0;
        for (int input = 0; input < inputs; ++input) {
            total += double(in[input]) * weights[input * UNITS + unit];
        }
        const double output = 1 / (1 + std::exp(-total));
        const double delta = output * (1 - output) * (targets[unit] - output);
        for (int input = 0; input < inputs; ++input) {
            const int at = input * UNITS + unit;
            const double change = RATE * delta * in[input] + MOMENTUM * changes[at];
            is_right &= ld::is_near(found_changes[at], change, 1e-5);
            is_right &= ld::is_near(found_weights[at], weights[at] + change, 1e-5);
        }
    }
    return ld::finish("backprop", options, is_right);
}
