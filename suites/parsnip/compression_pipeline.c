// Compresses a stream without storing any chunk twice. Stands for dedup.
// Fragments are cut into chunks where their contents say so, chunks are hashed and looked up in a table with a lock for
// each bucket, and new ones are compressed; a queue is before each stage, and chunks go from thread to thread. Under one
// lock the output is written in the order of the input, by whoever has brought the chunk that was waited for.

#include "support.h"

enum { FRAGMENTS = 6, FRAGMENT_BYTES = 32768, PASSAGE_BYTES = 16384, BUCKETS = 512, POSITIONS = 256 };
enum { LEAST_CHUNK = 512, MOST_CHUNK = 8192, LEAST_MATCH = 4, MOST_MATCH = 127, REFERENCE_BYTES = 8 };
enum { WORDS = 64, WORD_BYTES = 6, IS_MATCH = 128 };
enum { CUT, LOOK_UP, COMPRESS, STAGES };

// What is stored of all chunks with the same contents.
struct entry {
    struct entry *next;
    uint64_t hash;
    long length;
    uint8_t *packed;
    long packed_length;
    int is_packed;  // Under the lock of the output, as is the next one.
    int is_written;
};

struct chunk {
    struct job job;
    const uint8_t *bytes;
    long length;
    long fragment;
    struct entry *entry;
    int has_arrived;  // Under the lock of the output.
    struct chunk *next_of_fragment;
};

struct fragment {
    struct job job;
    const uint8_t *bytes;
    long number;
};

static void cut(struct job *job);
static void look_up(struct job *job);
static void compress(struct job *job);

static struct pipeline pipeline = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, STAGES, {cut, look_up, compress},
                                   {{NULL, NULL}}, 0};
static struct entry *buckets[BUCKETS];
static pthread_mutex_t *bucket_locks;

static struct {
    pthread_mutex_t lock;
    struct chunk **first_chunks;  // Of each fragment, once it is cut.
    struct chunk *waits_for;
    long fragment;
    uint8_t *bytes;
    long length;
} output = {.lock = PTHREAD_MUTEX_INITIALIZER};

static long fragment_count(void) {
    return FRAGMENTS * scale;
}

// A chunk ends where a hash of the last 32 bytes begins with eleven zeros.
static long length_of_chunk(const uint8_t *bytes, long most) {
    uint32_t rolling = 0;
    long length = 0;
    while (length < most) {
        rolling = (rolling << 1) + bytes[length++] * 0x9e3779b1u;
        if (length >= LEAST_CHUNK && rolling >> 21 == 0) {
            break;
        }
    }
    return length;
}

static struct chunk *new_chunk(const struct fragment *fragment, long from) {
    long left = FRAGMENT_BYTES - from;
    struct chunk *chunk = new_memory(1, sizeof *chunk);
    chunk->fragment = fragment->number;
    chunk->bytes = fragment->bytes + from;
    chunk->length = length_of_chunk(chunk->bytes, left < MOST_CHUNK ? left : MOST_CHUNK);
    return chunk;
}

static void announce(long fragment, struct chunk *first) {
    pthread_mutex_lock(&output.lock);
    output.first_chunks[fragment] = first;
    if (output.waits_for == NULL && output.fragment == fragment) {
        output.waits_for = first;
    }
    pthread_mutex_unlock(&output.lock);
}

static void cut(struct job *job) {
    struct fragment *fragment = (struct fragment *)job;
    struct chunk *first = NULL, **end = &first;
    for (long from = 0; from < FRAGMENT_BYTES; from += (*end)->length, end = &(*end)->next_of_fragment) {
        *end = new_chunk(fragment, from);
    }
    announce(fragment->number, first);
    for (struct chunk *chunk = first; chunk != NULL; chunk = chunk->next_of_fragment) {
        pipeline_put(&pipeline, LOOK_UP, &chunk->job);
    }
}

static uint64_t hash_of(const uint8_t *bytes, long length) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (long i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

static void write_packed(struct entry *entry) {
    const uint8_t *from = entry->packed;
    uint8_t *to = &output.bytes[output.length];
    long length = entry->packed_length;
    for (long i = 0; i < length; i++) {
        to[i] = from[i];
    }
    output.length += length;
    free(entry->packed);
    entry->is_written = 1;
}

static void write_reference(const struct entry *entry) {
    uint64_t hash = entry->hash;
    for (int i = 0; i < REFERENCE_BYTES; i++) {
        output.bytes[output.length++] = (uint8_t)(hash >> 8 * i);
    }
}

static struct chunk *chunk_after(const struct chunk *chunk) {
    if (chunk->next_of_fragment != NULL) {
        return chunk->next_of_fragment;
    }
    output.fragment++;
    return output.fragment < fragment_count() ? output.first_chunks[output.fragment] : NULL;
}

// The first chunk of its kind in the output is written, which need not be the one that was compressed.
static void write_what_is_ready(void) {
    struct chunk *chunk = output.waits_for;
    while (chunk != NULL && chunk->has_arrived && chunk->entry->is_packed) {
        if (chunk->entry->is_written) {
            write_reference(chunk->entry);
        } else {
            write_packed(chunk->entry);
        }
        chunk = chunk_after(chunk);
    }
    output.waits_for = chunk;
}

static void arrive(struct chunk *chunk, int is_packed) {
    pthread_mutex_lock(&output.lock);
    chunk->has_arrived = 1;
    chunk->entry->is_packed |= is_packed;
    write_what_is_ready();
    pthread_mutex_unlock(&output.lock);
}

// Whether the chunk is the first with its contents that comes here.
static int enter(struct chunk *chunk) {
    uint64_t hash = hash_of(chunk->bytes, chunk->length);
    long bucket = (long)(hash % BUCKETS);
    pthread_mutex_lock(&bucket_locks[bucket]);
    struct entry *entry = buckets[bucket];
    while (entry != NULL && (entry->hash != hash || entry->length != chunk->length)) {
        entry = entry->next;
    }
    int is_new = entry == NULL;
    if (is_new) {
        entry = new_memory(1, sizeof *entry);
        entry->next = buckets[bucket];
        entry->hash = hash;
        entry->length = chunk->length;
        buckets[bucket] = entry;
    }
    pthread_mutex_unlock(&bucket_locks[bucket]);
    chunk->entry = entry;
    return is_new;
}

static void look_up(struct job *job) {
    struct chunk *chunk = (struct chunk *)job;
    if (enter(chunk)) {
        pipeline_put(&pipeline, COMPRESS, &chunk->job);
    } else {
        arrive(chunk, 0);
    }
}

static long length_of_match(const uint8_t *bytes, long before, long at, long end) {
    long length = 0;
    while (at + length < end && length < MOST_MATCH && bytes[before + length] == bytes[at + length]) {
        length++;
    }
    return length;
}

// The position where three bytes with the same hash were seen last, or -1. Notes the new one.
static long seen_before(uint16_t *positions, const uint8_t *bytes, long at) {
    uint32_t three = bytes[at] | bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16;
    uint16_t *position = &positions[three * 0x9e3779b1u >> 24];
    long before = *position - 1L;
    *position = (uint16_t)(at + 1);
    return before;
}

// A match is IS_MATCH and its length in one byte and its distance in two; all other bytes are below IS_MATCH.
static long pack(uint8_t *packed, const uint8_t *bytes, long length, uint16_t *positions) {
    long written = 0;
    for (long at = 0; at < length;) {
        long before = at + LEAST_MATCH <= length ? seen_before(positions, bytes, at) : -1;
        long match = before < 0 ? 0 : length_of_match(bytes, before, at, length);
        if (match < LEAST_MATCH) {
            packed[written++] = bytes[at++];
        } else {
            packed[written++] = (uint8_t)(IS_MATCH | match);
            packed[written++] = (uint8_t)(at - before);
            packed[written++] = (uint8_t)((at - before) >> 8);
            at += match;
        }
    }
    return written;
}

static void compress(struct job *job) {
    struct chunk *chunk = (struct chunk *)job;
    struct entry *entry = chunk->entry;
    uint16_t *positions = new_memory(POSITIONS, sizeof *positions);
    entry->packed = new_memory(chunk->length, 1);
    entry->packed_length = pack(entry->packed, chunk->bytes, chunk->length, positions);
    free(positions);
    arrive(chunk, 1);
}

static void work(int self) {
    pipeline_serve(&pipeline, self);
}

static void make_word(uint8_t *to, uint64_t word) {
    for (int i = 0; i < WORD_BYTES; i++) {
        to[i] = (uint8_t)('a' + mix(word, i) % 26);
    }
}

// A text of few words. Of three passages one was there before.
static uint8_t *make_input(void) {
    long passages = fragment_count() * FRAGMENT_BYTES / PASSAGE_BYTES;
    uint8_t *input = new_memory(passages, PASSAGE_BYTES);
    uint64_t choice = 4;
    for (long i = 0; i < passages; i++) {
        uint64_t seed = next_random(&choice) % 3 == 0 ? next_random(&choice) % (i + 1) : (uint64_t)i;
        for (long at = 0; at + WORD_BYTES <= PASSAGE_BYTES; at += WORD_BYTES) {
            make_word(&input[i * PASSAGE_BYTES + at], next_random(&seed) % WORDS);
        }
    }
    return input;
}

static void put_fragments(const uint8_t *input) {
    struct fragment *fragments = new_memory(fragment_count(), sizeof *fragments);
    for (long i = 0; i < fragment_count(); i++) {
        fragments[i].bytes = input + i * FRAGMENT_BYTES;
        fragments[i].number = i;
        pipeline_put(&pipeline, CUT, &fragments[i].job);
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    bucket_locks = new_locks(BUCKETS);
    output.first_chunks = new_memory(fragment_count(), sizeof *output.first_chunks);
    output.bytes = new_memory(fragment_count(), FRAGMENT_BYTES + REFERENCE_BYTES);
    put_fragments(make_input());
    run_workers(work);
    print_result("compression_pipeline", mix_bytes(output.length, output.bytes, output.length));
    return 0;
}
