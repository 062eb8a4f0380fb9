// Sends a picture through a tone curve, a blur, a sharpening and a change of its colours, tile by tile. Stands for vips.
// Tiles are handed out under a lock. A thread reads its tile and a margin of the input, which all read, works in buffers
// of its own, which it uses for all its tiles, and writes the tile of the output. Under the lock it adds to a histogram.

#include "support.h"

enum { COLOURS = 3, WIDTH = 192, HEIGHT = 128, TILE_WIDTH = 48, TILE_HEIGHT = 16, ACROSS = WIDTH / TILE_WIDTH };
enum { MARGIN = 2, STRIDE = (TILE_WIDTH + 2 * MARGIN) * COLOURS, BUFFER = STRIDE * (TILE_HEIGHT + 2 * MARGIN) };
enum { LEVELS = 256, BINS = 64 };

// A tile between two filters; byte 0 is of the pixel that is MARGIN to the left of the tile and above it.
struct buffers {
    uint8_t *toned, *blurred, *sharpened;
    int *histogram;
};

static long height;
static uint8_t *input, *output, *curve;

static struct {
    pthread_mutex_t lock;
    long next_tile;
    long histogram[BINS];
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint8_t to_byte(int value) {
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static long clamped(long at, long limit) {
    return at < 0 ? 0 : at >= limit ? limit - 1 : at;
}

static void apply_curve(struct buffers *own, long left, long top) {
    for (long y = 0; y < TILE_HEIGHT + 2 * MARGIN; y++) {
        long row = clamped(top + y - MARGIN, height);
        for (long x = 0; x < TILE_WIDTH + 2 * MARGIN; x++) {
            const uint8_t *pixel = &input[(row * WIDTH + clamped(left + x - MARGIN, WIDTH)) * COLOURS];
            for (int i = 0; i < COLOURS; i++) {
                own->toned[y * STRIDE + x * COLOURS + i] = curve[pixel[i]];
            }
        }
    }
}

static uint8_t mean_of_nine(const uint8_t *middle) {
    int sum = 0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            sum += middle[y * STRIDE + x * COLOURS];
        }
    }
    return (uint8_t)(sum / 9);
}

static void blur(struct buffers *own) {
    for (long y = 1; y < TILE_HEIGHT + 2 * MARGIN - 1; y++) {
        for (long at = y * STRIDE + COLOURS; at < (y + 1) * STRIDE - COLOURS; at++) {
            own->blurred[at] = mean_of_nine(&own->toned[at]);
        }
    }
}

static uint8_t sharper(const uint8_t *middle) {
    return to_byte(3 * middle[0] - (middle[-COLOURS] + middle[COLOURS] + middle[-STRIDE] + middle[STRIDE]) / 2);
}

static void sharpen(struct buffers *own) {
    for (long y = MARGIN; y < TILE_HEIGHT + MARGIN; y++) {
        for (long at = y * STRIDE + MARGIN * COLOURS; at < (y + 1) * STRIDE - MARGIN * COLOURS; at++) {
            own->sharpened[at] = sharper(&own->blurred[at]);
        }
    }
}

// Writes brightness and two differences of colours.
static void change_colours(uint8_t *to, const uint8_t *from, int *histogram) {
    int red = from[0], green = from[1], blue = from[2];
    int bright = (77 * red + 150 * green + 29 * blue) / 256;
    to[0] = (uint8_t)bright;
    to[1] = to_byte(128 + (blue - bright) / 2);
    to[2] = to_byte(128 + (red - bright) / 2);
    histogram[bright * BINS / LEVELS]++;
}

static void write_tile(struct buffers *own, long left, long top) {
    for (long y = 0; y < TILE_HEIGHT; y++) {
        for (long x = 0; x < TILE_WIDTH; x++) {
            const uint8_t *from = &own->sharpened[(y + MARGIN) * STRIDE + (x + MARGIN) * COLOURS];
            change_colours(&output[((top + y) * WIDTH + left + x) * COLOURS], from, own->histogram);
        }
    }
}

static long take_tile(void) {
    let_others_run();
    pthread_mutex_lock(&shared.lock);
    long tile = shared.next_tile++;
    pthread_mutex_unlock(&shared.lock);
    return tile;
}

static void add_histogram(struct buffers *own) {
    pthread_mutex_lock(&shared.lock);
    for (int i = 0; i < BINS; i++) {
        shared.histogram[i] += own->histogram[i];
        own->histogram[i] = 0;
    }
    pthread_mutex_unlock(&shared.lock);
}

static void filter_tile(struct buffers *own, long tile) {
    long left = tile % ACROSS * TILE_WIDTH, top = tile / ACROSS * TILE_HEIGHT;
    apply_curve(own, left, top);
    blur(own);
    sharpen(own);
    write_tile(own, left, top);
    add_histogram(own);
}

static void work(int self) {
    (void)self;
    struct buffers own = {new_memory(BUFFER, 1), new_memory(BUFFER, 1), new_memory(BUFFER, 1),
                          new_memory(BINS, sizeof(int))};
    long count = ACROSS * (height / TILE_HEIGHT);
    for (long tile = take_tile(); tile < count; tile = take_tile()) {
        filter_tile(&own, tile);
    }
}

// Slopes and noise, and a curve that lifts what is dark.
static void make_input(void) {
    uint64_t seed = 11;
    for (long i = 0; i < WIDTH * height * COLOURS; i++) {
        long x = i / COLOURS % WIDTH, y = i / COLOURS / WIDTH;
        input[i] = (uint8_t)((x * (i % COLOURS + 1) + 2 * y) % 200 + (long)(next_random(&seed) % 32));
    }
    for (int i = 0; i < LEVELS; i++) {
        curve[i] = (uint8_t)(i + i * (255 - i) / 512);
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    height = HEIGHT * scale;
    input = new_memory(WIDTH * height, COLOURS);
    output = new_memory(WIDTH * height, COLOURS);
    curve = new_memory(LEVELS, 1);
    make_input();
    run_workers(work);
    uint64_t checksum = mix_bytes(0, output, WIDTH * height * COLOURS);
    for (int i = 0; i < BINS; i++) {
        checksum = mix(checksum, shared.histogram[i]);
    }
    print_result("image_pipeline", checksum);
    return 0;
}
