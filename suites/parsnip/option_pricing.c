// Prices options by the formula of Black and Scholes, again and again while the market moves. Stands for blackscholes.
// Every thread has a range of the arrays for itself. The sums of all threads stand side by side; between two barriers
// the first thread adds them up and moves the market, which all threads read in the next pass.

#include "support.h"
#include <math.h>

enum { OPTIONS = 4096, PASSES = 64 };

struct market {
    float level, calm;
};

static long option_count;
static float *spot, *strike, *rate, *volatility, *years, *price;
static int *is_put;
static int64_t *worth_of_range;
static struct market market = {1, 1};
static uint64_t history;

// The normal distribution up to `x`, by the polynomial of Abramowitz and Stegun, 26.2.17.
static float normal(float x) {
    float size = fabsf(x);
    float k = 1 / (1 + 0.2316419f * size);
    float sum = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * size * size) * sum;
    return x < 0 ? tail : 1 - tail;
}

static float price_of(long i, struct market now) {
    float s = spot[i] * now.level;
    float spread = volatility[i] * now.calm * sqrtf(years[i]);
    float discounted = strike[i] * expf(-rate[i] * years[i]);
    float d1 = logf(s / discounted) / spread + 0.5f * spread;
    float d2 = d1 - spread;
    if (is_put[i]) {
        return discounted * normal(-d2) - s * normal(-d1);
    }
    return s * normal(d1) - discounted * normal(d2);
}

// Sums are of whole hundredths, so that they do not depend on the ranges.
static void price_range(int self) {
    struct range mine = range_of(self, option_count);
    struct market now = market;
    int64_t worth = 0;
    for (long i = mine.from; i < mine.to; i++) {
        float value = price_of(i, now);
        price[i] = value;
        worth += (int64_t)(value * 100);
    }
    worth_of_range[self] = worth;
}

static void move_market(void) {
    int64_t worth = 0;
    for (int i = 0; i < thread_count; i++) {
        worth += worth_of_range[i];
    }
    history = mix(history, worth);
    market.level = 0.95f + 0.1f * (float)(worth % 1000) / 1000;
    market.calm = 0.9f + 0.2f * (float)(worth % 777) / 777;
}

static void work(int self) {
    for (int pass = 0; pass < PASSES; pass++) {
        price_range(self);
        meet();
        if (self == 0) {
            move_market();
        }
        meet();
    }
}

static float *new_column(void) {
    return new_memory(option_count, sizeof(float));
}

static void make_options(void) {
    uint64_t seed = 1;
    spot = new_column();
    strike = new_column();
    rate = new_column();
    volatility = new_column();
    years = new_column();
    price = new_column();
    is_put = new_memory(option_count, sizeof *is_put);
    for (long i = 0; i < option_count; i++) {
        float value = 20 + 100 * random_unit(&seed);
        spot[i] = value;
        strike[i] = value * (0.8f + 0.4f * random_unit(&seed));
        rate[i] = 0.01f + 0.08f * random_unit(&seed);
        volatility[i] = 0.1f + 0.5f * random_unit(&seed);
        years[i] = 0.1f + 2 * random_unit(&seed);
        is_put[i] = (int)(next_random(&seed) & 1);
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    option_count = OPTIONS * scale;
    worth_of_range = new_memory(thread_count, sizeof *worth_of_range);
    make_options();
    run_workers(work);
    uint64_t checksum = history;
    for (long i = 0; i < option_count; i++) {
        checksum = mix_float(checksum, price[i]);
    }
    print_result("option_pricing", checksum);
    return 0;
}
