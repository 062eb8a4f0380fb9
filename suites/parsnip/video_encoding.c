// Encodes a video: blocks are predicted by a motion search in the frame before, as that was encoded, and what is left is
// quantised. Stands for x264.
// Several frames are encoded at once. Before a row of blocks a thread waits, by the lock and the condition of the frame
// before, until the rows that the search may read are done there; then it reads many single bytes of them.

#include "support.h"

enum { BLOCK = 8, ACROSS = 10, DOWN = 12, WIDTH = ACROSS * BLOCK, HEIGHT = DOWN * BLOCK, PIXELS = WIDTH * HEIGHT };
enum { FRAMES = 16, REACH = 7, QUANTUM = 6, GREY = 128 };

struct vector {
    int x, y;
};

struct frame {
    uint8_t *source, *built, *stream;
    long length;
    pthread_mutex_t lock;
    pthread_cond_t advanced;
    int rows_done;  // Under the lock.
};

static long frame_count;
static struct frame *frames;

static struct {
    pthread_mutex_t lock;
    long next_frame;
    long length;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The search reads less than a block below its own.
static void wait_for_rows(struct frame *before, int row) {
    int needed = row + 2 < DOWN ? row + 2 : DOWN;
    pthread_mutex_lock(&before->lock);
    while (before->rows_done < needed) {
        pthread_cond_wait(&before->advanced, &before->lock);
    }
    pthread_mutex_unlock(&before->lock);
}

static void finish_row(struct frame *frame) {
    pthread_mutex_lock(&frame->lock);
    frame->rows_done++;
    pthread_cond_broadcast(&frame->advanced);
    pthread_mutex_unlock(&frame->lock);
}

// Compares every second row, and stops where it is worse than the best so far.
static int difference(const uint8_t *source, const uint8_t *built, int best) {
    int sum = 0;
    for (int y = 0; y < BLOCK && sum < best; y += 2) {
        for (int x = 0; x < BLOCK; x++) {
            sum += abs(source[y * WIDTH + x] - built[y * WIDTH + x]);
        }
    }
    return sum;
}

static int is_in_reach(struct vector block, struct vector motion) {
    int x = block.x + motion.x, y = block.y + motion.y;
    return abs(motion.x) <= REACH && abs(motion.y) <= REACH && x >= 0 && x <= WIDTH - BLOCK && y >= 0 &&
           y <= HEIGHT - BLOCK;
}

static long offset(struct vector block, struct vector motion) {
    return (long)(block.y + motion.y) * WIDTH + block.x + motion.x;
}

// Tries four motions around the best one, at a distance that shrinks.
static struct vector search(const struct frame *frame, const struct frame *before, struct vector block, struct vector guess) {
    static const struct vector ways[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    struct vector none = {0, 0}, found = is_in_reach(block, guess) ? guess : none;
    const uint8_t *source = &frame->source[offset(block, none)];
    int best = difference(source, &before->built[offset(block, found)], 1 << 30);
    for (int step = 4; step > 0; step /= 2) {
        struct vector middle = found;
        for (int i = 0; i < 4; i++) {
            struct vector motion = {middle.x + step * ways[i].x, middle.y + step * ways[i].y};
            if (is_in_reach(block, motion)) {
                int sum = difference(source, &before->built[offset(block, motion)], best);
                found = sum < best ? motion : found;
                best = sum < best ? sum : best;
            }
        }
    }
    return found;
}

// Writes what a decoder would see, and a byte for each pixel that differs from its prediction, behind how many do not.
static void code_block(struct frame *frame, long at, const uint8_t *prediction, long stride) {
    int run = 0;
    for (int y = 0; y < BLOCK; y++) {
        for (int x = 0; x < BLOCK; x++) {
            int predicted = prediction == NULL ? GREY : prediction[y * stride + x];
            int level = (frame->source[at + y * WIDTH + x] - predicted) / QUANTUM;
            frame->built[at + y * WIDTH + x] = (uint8_t)(predicted + level * QUANTUM);
            run++;
            if (level != 0) {
                frame->stream[frame->length++] = (uint8_t)run;
                frame->stream[frame->length++] = (uint8_t)level;
                run = 0;
            }
        }
    }
}

static void code_row_alone(struct frame *frame, int row) {
    for (int column = 0; column < ACROSS; column++) {
        code_block(frame, (long)row * BLOCK * WIDTH + column * BLOCK, NULL, 0);
    }
}

static void code_row(struct frame *frame, const struct frame *before, int row) {
    struct vector motion = {0, 0}, none = {0, 0};
    for (int column = 0; column < ACROSS; column++) {
        struct vector block = {column * BLOCK, row * BLOCK};
        motion = search(frame, before, block, motion);
        frame->stream[frame->length++] = (uint8_t)(motion.x + REACH);
        frame->stream[frame->length++] = (uint8_t)(motion.y + REACH);
        code_block(frame, offset(block, none), &before->built[offset(block, motion)], WIDTH);
    }
}

static void encode(long number) {
    struct frame *frame = &frames[number];
    for (int row = 0; row < DOWN; row++) {
        if (number == 0) {
            code_row_alone(frame, row);
        } else {
            wait_for_rows(&frames[number - 1], row);
            code_row(frame, &frames[number - 1], row);
        }
        finish_row(frame);
    }
    pthread_mutex_lock(&shared.lock);
    shared.length += frame->length;
    pthread_mutex_unlock(&shared.lock);
}

// Frames are taken in their order, so that the frame before is always in work or done.
static long take_frame(void) {
    pthread_mutex_lock(&shared.lock);
    long number = shared.next_frame++;
    pthread_mutex_unlock(&shared.lock);
    return number;
}

static void work(int self) {
    (void)self;
    for (long number = take_frame(); number < frame_count; number = take_frame()) {
        encode(number);
    }
}

// Between 0 and 100, up and down.
static int wave(long x) {
    return abs((int)(x % 200) - 100);
}

// A pattern that moves, with noise.
static void make_frame(long number, uint64_t *seed) {
    struct frame *frame = &frames[number];
    frame->source = new_memory(PIXELS, 1);
    frame->built = new_memory(PIXELS, 1);
    frame->stream = new_memory(2 * PIXELS + 2 * ACROSS * DOWN, 1);
    pthread_mutex_init(&frame->lock, NULL);
    pthread_cond_init(&frame->advanced, NULL);
    for (long i = 0; i < PIXELS; i++) {
        long x = i % WIDTH + 2 * number, y = i / WIDTH + number;
        frame->source[i] = (uint8_t)(20 + wave(x * 9 + y) + wave(y * 13) + (int)(next_random(seed) % 12));
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    frame_count = FRAMES * scale;
    frames = new_memory(frame_count, sizeof *frames);
    uint64_t seed = 12;
    for (long i = 0; i < frame_count; i++) {
        make_frame(i, &seed);
    }
    run_workers(work);
    uint64_t checksum = shared.length;
    for (long i = 0; i < frame_count; i++) {
        checksum = mix_bytes(checksum, frames[i].stream, frames[i].length);
    }
    print_result("video_encoding", checksum);
    return 0;
}
