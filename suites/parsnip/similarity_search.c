// Finds the pictures that look most like each of many queries. Stands for ferret.
// A query is loaded, its features are extracted, the index says which pictures could be near, and these are ranked; a queue
// is before each stage, and each query goes from thread to thread with its pixels. All threads read the photos, the index
// and the features of its pictures, which nobody writes any more. Each query has a place of its own for its answer.

#include "support.h"

enum { SIDE = 32, PIXELS = SIDE * SIDE, BLOCK = 32, FEATURES = PIXELS / BLOCK };
enum { PICTURES = 8192, PHOTOS = 64, QUERIES = 64, KEY_BITS = 8, BUCKETS = 1 << KEY_BITS, BEST = 8 };
enum { LOAD, EXTRACT, PROBE, RANK, STAGES };

struct match {
    float distance;
    int picture;
};

struct query {
    struct job job;
    long number;
    uint8_t *pixels;
    float features[FEATURES];
    int *candidates;
    long candidate_count;
};

static void load(struct job *job);
static void extract(struct job *job);
static void probe(struct job *job);
static void rank(struct job *job);

static struct pipeline pipeline = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, STAGES,
                                   {load, extract, probe, rank}, {{NULL, NULL}}, 0};
static uint8_t *photos;
static float *pictures;
static int *bucket_starts, *bucket_pictures;
static struct match *answers;

// A query is a photo that is darker than it was.
static void load(struct job *job) {
    struct query *query = (struct query *)job;
    const uint8_t *photo = &photos[query->number % PHOTOS * PIXELS];
    int darker = (int)(query->number / PHOTOS % 16);
    query->pixels = new_memory(PIXELS, 1);
    for (long i = 0; i < PIXELS; i++) {
        int pixel = photo[i];
        query->pixels[i] = (uint8_t)(pixel > darker ? pixel - darker : 0);
    }
    pipeline_put(&pipeline, EXTRACT, &query->job);
}

static void extract(struct job *job) {
    struct query *query = (struct query *)job;
    for (long i = 0; i < FEATURES; i++) {
        int sum = 0;
        for (long at = 0; at < BLOCK; at++) {
            sum += query->pixels[i * BLOCK + at];
        }
        query->features[i] = (float)sum / (BLOCK * 256);
    }
    free(query->pixels);
    pipeline_put(&pipeline, PROBE, &query->job);
}

static int key_of(const float *features) {
    int key = 0;
    for (int bit = 0; bit < KEY_BITS; bit++) {
        key |= (features[bit] > 0.5f) << bit;
    }
    return key;
}

static void take_bucket(struct query *query, int key) {
    for (int i = bucket_starts[key]; i < bucket_starts[key + 1]; i++) {
        query->candidates[query->candidate_count++] = bucket_pictures[i];
    }
}

// Takes the bucket of the key, and those whose keys differ in one bit.
static void probe(struct job *job) {
    struct query *query = (struct query *)job;
    int key = key_of(query->features);
    query->candidates = new_memory(PICTURES, sizeof *query->candidates);
    take_bucket(query, key);
    for (int bit = 0; bit < KEY_BITS; bit++) {
        take_bucket(query, key ^ 1 << bit);
    }
    pipeline_put(&pipeline, RANK, &query->job);
}

static float distance(const float *a, const float *b) {
    float sum = 0;
    for (int i = 0; i < FEATURES; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

static void insert(struct match *best, struct match match) {
    if (match.distance >= best[BEST - 1].distance) {
        return;
    }
    int at = BEST - 1;
    for (; at > 0 && best[at - 1].distance > match.distance; at--) {
        best[at] = best[at - 1];
    }
    best[at] = match;
}

static void rank(struct job *job) {
    struct query *query = (struct query *)job;
    struct match *best = &answers[query->number * BEST];
    for (int i = 0; i < BEST; i++) {
        best[i].distance = FEATURES;
    }
    for (long i = 0; i < query->candidate_count; i++) {
        int picture = query->candidates[i];
        struct match match = {distance(query->features, &pictures[picture * FEATURES]), picture};
        insert(best, match);
    }
    free(query->candidates);
    free(query);
}

static void work(int self) {
    pipeline_serve(&pipeline, self);
}

static void make_pictures(void) {
    uint64_t seed = 5;
    pictures = new_memory(PICTURES * FEATURES, sizeof *pictures);
    for (long i = 0; i < PICTURES * FEATURES; i++) {
        pictures[i] = random_unit(&seed);
    }
}

// Photo i shows what picture i does, with noise.
static void make_photos(void) {
    uint64_t seed = 6;
    photos = new_memory(PHOTOS, PIXELS);
    for (long i = 0; i < PHOTOS * PIXELS; i++) {
        float pixel = 224 * pictures[i / BLOCK] + 31 * random_unit(&seed);
        photos[i] = (uint8_t)pixel;
    }
}

// Bucket k has the pictures from starts[k] to starts[k + 1].
static void make_index(void) {
    int *ends = new_memory(BUCKETS, sizeof *ends);
    bucket_starts = new_memory(BUCKETS + 1, sizeof *bucket_starts);
    bucket_pictures = new_memory(PICTURES, sizeof *bucket_pictures);
    for (int i = 0; i < PICTURES; i++) {
        bucket_starts[key_of(&pictures[i * FEATURES]) + 1]++;
    }
    for (int key = 0; key < BUCKETS; key++) {
        ends[key] = bucket_starts[key];
        bucket_starts[key + 1] += bucket_starts[key];
    }
    for (int i = 0; i < PICTURES; i++) {
        bucket_pictures[ends[key_of(&pictures[i * FEATURES])]++] = i;
    }
    free(ends);
}

static void put_queries(void) {
    for (long i = 0; i < QUERIES * scale; i++) {
        struct query *query = new_memory(1, sizeof *query);
        query->number = i;
        pipeline_put(&pipeline, LOAD, &query->job);
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    make_pictures();
    make_photos();
    make_index();
    answers = new_memory(QUERIES * scale * BEST, sizeof *answers);
    put_queries();
    run_workers(work);
    uint64_t checksum = 0;
    for (long i = 0; i < QUERIES * scale * BEST; i++) {
        checksum = mix_float(mix(checksum, answers[i].picture), answers[i].distance);
    }
    print_result("similarity_search", checksum);
    return 0;
}
