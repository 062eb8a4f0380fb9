// Encrypts and decrypts an array with a block cipher of IDEA's kind (products modulo 65537, sums, exclusive
// ors), in the manner of Java Grande's crypt. Each thread has its own blocks. Size: thousands of bytes.

#include "bench.h"

enum { ROUNDS = 8, KEYS = 6 * ROUNDS + 4 };
static uint16_t encrypt_keys[KEYS];
static uint16_t decrypt_keys[KEYS];
static unsigned char *plain, *secret, *back;
static long bytes;

static uint16_t multiply(uint32_t a, uint32_t b) {
    if (a == 0) {
        return (uint16_t)(1 - b);
    }
    if (b == 0) {
        return (uint16_t)(1 - a);
    }
    return (uint16_t)(a * (uint64_t)b % 65537);
}

static uint16_t inverse_product(uint16_t x) {
    uint16_t power = x;
    uint16_t result = 1;
    for (int bit = 0; bit < 16; bit++) {
        // The exponent is 65537 - 2 = 0xffff.
        result = multiply(result, power);
        power = multiply(power, power);
    }
    return result;
}

static void make_keys(void) {
    uint64_t seed = 7;
    for (int i = 0; i < KEYS; i++) {
        encrypt_keys[i] = (uint16_t)bench_random(&seed);
    }
    // The inverse of a round takes the keys from the end; the two sums change places inside.
    for (int round = 0; round <= ROUNDS; round++) {
        const uint16_t *from = &encrypt_keys[6 * (ROUNDS - round)];
        uint16_t *to = &decrypt_keys[6 * round];
        int swap = round != 0 && round != ROUNDS;
        to[0] = inverse_product(from[0]);
        to[1] = (uint16_t)-from[swap ? 2 : 1];
        to[2] = (uint16_t)-from[swap ? 1 : 2];
        to[3] = inverse_product(from[3]);
        if (round < ROUNDS) {
            to[4] = encrypt_keys[6 * (ROUNDS - 1 - round) + 4];
            to[5] = encrypt_keys[6 * (ROUNDS - 1 - round) + 5];
        }
    }
}

static void cipher(const unsigned char *in, unsigned char *out, const uint16_t *key) {
    uint16_t a = in[0] | in[1] << 8, b = in[2] | in[3] << 8, c = in[4] | in[5] << 8, d = in[6] | in[7] << 8;
    for (int round = 0; round < ROUNDS; round++) {
        a = multiply(a, key[0]);
        b += key[1];
        c += key[2];
        d = multiply(d, key[3]);
        uint16_t left = multiply(a ^ c, key[4]);
        uint16_t right = multiply((uint16_t)((b ^ d) + left), key[5]);
        left += right;
        a ^= right;
        d ^= left;
        uint16_t old_b = b;
        b = c ^ right;
        c = old_b ^ left;
        key += 6;
    }
    a = multiply(a, key[0]);
    uint16_t old_b = b;
    b = c + key[1];
    c = old_b + key[2];
    d = multiply(d, key[3]);
    const uint16_t words[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        out[2 * i] = (unsigned char)words[i];
        out[2 * i + 1] = (unsigned char)(words[i] >> 8);
    }
}

static void work(int self) {
    long from, to;
    bench_share(bytes / 8, self, &from, &to);
    for (long block = from; block < to; block++) {
        cipher(plain + 8 * block, secret + 8 * block, encrypt_keys);
    }
    bench_meet();
    for (long block = from; block < to; block++) {
        cipher(secret + 8 * block, back + 8 * block, decrypt_keys);
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 50000);
    bytes = bench_size * 1000 / 8 * 8;
    plain = (unsigned char *)bench_memory(bytes, 1);
    secret = (unsigned char *)bench_memory(bytes, 1);
    back = (unsigned char *)bench_memory(bytes, 1);
    uint64_t seed = 1;
    for (long i = 0; i < bytes; i++) {
        plain[i] = (unsigned char)bench_random(&seed);
    }
    make_keys();
    bench_team(work);
    if (memcmp(plain, back, bytes) != 0) {
        fprintf(stderr, "crypt: what came back is not what went in\n");
        return 1;
    }
    uint64_t sum = 0;
    for (long i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, secret + i, 8);
        sum = bench_mix(sum, word);
    }
    bench_result("crypt", sum);
    return 0;
}
