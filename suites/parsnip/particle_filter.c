// Follows a body of five parts through noisy frames with a particle filter. Stands for bodytrack.
// The main thread hands out rows of the edge map, then groups of particles, to a pool of workers that wait at a condition;
// all of them read the frame, the edges and the particles. The main thread alone then reads all weights and draws the
// particles of the next layer.

#include "support.h"

enum { WIDTH = 160, HEIGHT = 120, PIXELS = WIDTH * HEIGHT, FRAMES = 4, LAYERS = 2 };
enum { PARTS = 5, PARTICLES = 1024, GROUP = 64, ROWS = 15, MARGIN = 12 };

struct particle {
    int x[PARTS], y[PARTS];
};

static uint8_t *frames, *edges;
static const uint8_t *frame;
static struct particle *particles, *drawn;
static uint64_t *weights, *sums;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, finished;
    void (*task)(long ticket);
    long next_ticket, ticket_count, unfinished;
    int closed;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};

static void serve_pool(int self) {
    (void)self;
    pthread_mutex_lock(&pool.lock);
    while (!pool.closed || pool.next_ticket < pool.ticket_count) {
        if (pool.next_ticket == pool.ticket_count) {
            pthread_cond_wait(&pool.posted, &pool.lock);
            continue;
        }
        long ticket = pool.next_ticket++;
        pthread_mutex_unlock(&pool.lock);
        pool.task(ticket);
        let_others_run();
        pthread_mutex_lock(&pool.lock);
        if (--pool.unfinished == 0) {
            pthread_cond_signal(&pool.finished);
        }
    }
    pthread_mutex_unlock(&pool.lock);
}

// Returns when the workers have done `task` for all tickets from 0.
static void run_in_pool(void (*task)(long ticket), long ticket_count) {
    pthread_mutex_lock(&pool.lock);
    pool.task = task;
    pool.next_ticket = 0;
    pool.ticket_count = pool.unfinished = ticket_count;
    pthread_cond_broadcast(&pool.posted);
    while (pool.unfinished > 0) {
        pthread_cond_wait(&pool.finished, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}

static void close_pool(void) {
    pthread_mutex_lock(&pool.lock);
    pool.closed = 1;
    pthread_cond_broadcast(&pool.posted);
    pthread_mutex_unlock(&pool.lock);
}

static void find_edges(long ticket) {
    for (long y = ticket * ROWS; y < (ticket + 1) * ROWS; y++) {
        for (long x = 0; x < WIDTH; x++) {
            const uint8_t *pixel = &frame[y * WIDTH + x];
            int inside = x > 0 && x < WIDTH - 1 && y > 0 && y < HEIGHT - 1;
            int size = inside ? abs(pixel[1] - pixel[-1]) + abs(pixel[WIDTH] - pixel[-WIDTH]) : 0;
            edges[y * WIDTH + x] = (uint8_t)(size > 255 ? 255 : size);
        }
    }
}

// A part is bright inside, and has edges four pixels away from its middle.
static int score_of_part(int x, int y) {
    int score = 0;
    for (int dy = -4; dy <= 4; dy += 4) {
        for (int dx = -4; dx <= 4; dx += 4) {
            score += edges[(y + dy) * WIDTH + x + dx];
            score += frame[(y + dy / 2) * WIDTH + x + dx / 2];
        }
    }
    return score;
}

// Weights are fourth powers of scores, because only the best particles are to be drawn often.
static void weigh_group(long ticket) {
    for (long i = ticket * GROUP; i < (ticket + 1) * GROUP; i++) {
        uint64_t score = 0;
        for (int part = 0; part < PARTS; part++) {
            score += (uint64_t)score_of_part(particles[i].x[part], particles[i].y[part]);
        }
        weights[i] = score * score / 4096 * score / 4096 * score / 4096 + 1;
    }
}

static int moved(int at, uint64_t *seed, int spread, int limit) {
    at += (int)(next_random(seed) % (2 * spread + 1)) - spread;
    return at < MARGIN ? MARGIN : at >= limit - MARGIN ? limit - MARGIN - 1 : at;
}

static void draw_particle(long to, long from, int spread, uint64_t seed) {
    for (int part = 0; part < PARTS; part++) {
        drawn[to].x[part] = moved(particles[from].x[part], &seed, spread, WIDTH);
        drawn[to].y[part] = moved(particles[from].y[part], &seed, spread, HEIGHT);
    }
}

// A particle is drawn as often as its weight has shares of the sum of all.
static void resample(int spread, uint64_t seed) {
    uint64_t sum = 0;
    for (long i = 0; i < PARTICLES; i++) {
        sum += weights[i];
        sums[i] = sum;
    }
    long from = 0;
    for (long i = 0; i < PARTICLES; i++) {
        while (sums[from] < sum / PARTICLES * (uint64_t)i) {
            from++;
        }
        draw_particle(i, from, spread, mix(seed, i));
    }
    struct particle *before = particles;
    particles = drawn;
    drawn = before;
}

static uint64_t mix_particles(uint64_t checksum) {
    for (long i = 0; i < PARTICLES; i++) {
        for (int part = 0; part < PARTS; part++) {
            checksum = mix(checksum, (uint64_t)particles[i].x[part] << 32 | (uint64_t)particles[i].y[part]);
        }
    }
    return checksum;
}

static uint64_t follow(void) {
    uint64_t checksum = 0;
    for (long i = 0; i < FRAMES * scale; i++) {
        frame = &frames[i * PIXELS];
        run_in_pool(find_edges, HEIGHT / ROWS);
        for (int layer = 0; layer < LAYERS; layer++) {
            run_in_pool(weigh_group, PARTICLES / GROUP);
            resample(layer == LAYERS - 1 ? 5 : 2, mix(i, layer));
        }
        checksum = mix_particles(checksum);
    }
    return checksum;
}

static void draw_part(uint8_t *picture, int x, int y) {
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            picture[(y + dy) * WIDTH + x + dx] = 220;
        }
    }
}

static void make_frames(void) {
    uint64_t seed = 2;
    struct particle body = {{80, 70, 90, 72, 88}, {40, 55, 55, 80, 80}};
    for (long i = 0; i < FRAMES * scale; i++) {
        for (long at = 0; at < PIXELS; at++) {
            frames[i * PIXELS + at] = (uint8_t)(next_random(&seed) % 64);
        }
        for (int part = 0; part < PARTS; part++) {
            body.x[part] = moved(body.x[part], &seed, 3, WIDTH);
            body.y[part] = moved(body.y[part], &seed, 3, HEIGHT);
            draw_part(&frames[i * PIXELS], body.x[part], body.y[part]);
        }
    }
}

static void make_particles(void) {
    struct particle middle = {{80, 70, 90, 72, 88}, {40, 55, 55, 80, 80}};
    particles = new_memory(PARTICLES, sizeof *particles);
    drawn = new_memory(PARTICLES, sizeof *drawn);
    weights = new_memory(PARTICLES, sizeof *weights);
    sums = new_memory(PARTICLES, sizeof *sums);
    for (long i = 0; i < PARTICLES; i++) {
        particles[i] = middle;
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    frames = new_memory(FRAMES * scale, PIXELS);
    edges = new_memory(PIXELS, 1);
    make_frames();
    make_particles();
    start_workers(serve_pool);
    uint64_t checksum = follow();
    close_pool();
    join_workers();
    print_result("particle_filter", checksum);
    return 0;
}
