/* The k-th chance step of a name reads the words of SHA-256(seed || "name/k/block"), as games/chance.py does.
 *
 * Each message fits into one block of SHA-256. Eight blocks are hashed at the same time, one in each lane of a vector.
 * GCC and Clang compile these vectors to the instructions that every x86-64 and arm64 processor has. GCC on Linux with
 * glibc also compiles them for wider vectors, and the processor that runs the library decides.
 */
#include "chance.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
#define FOR_WIDE_VECTORS __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define FOR_WIDE_VECTORS
#endif

enum {
    LANES = 8, /* the 32 words of these blocks are enough for most shuffles */
    WORDS_PER_HASH = 4, /* 64-bit words of chance in one hash */
    MESSAGE_WORDS = 16,
    SEED_WORDS = SEED_BYTES / 4,
    LABEL_BYTES = 4 * (MESSAGE_WORDS - SEED_WORDS - 2), /* the last two words of a message are its length in bits */
    ROUNDS = 64,
    HASH_WORDS = 8
};

typedef uint32_t Lanes __attribute__((vector_size(4 * LANES)));

/* The state of one chance step: which hashes come next, and the words of the last ones that are not used yet. */
typedef struct {
    const uint8_t *seed;
    const char *name;
    unsigned occurrence;
    unsigned next_hash;
    int next_word;
    uint64_t words[LANES * WORDS_PER_HASH];
} Step;

static const uint32_t INITIAL[HASH_WORDS] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const uint32_t ROUND_CONSTANTS[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTATED(x, bits) ((x) >> (bits) | (x) << (32 - (bits)))

/* Hash messages of one block each (FIPS 180-4, section 6.2.2). Names of variables are those of the standard. */
FOR_WIDE_VECTORS static void hash(Lanes w[MESSAGE_WORDS], Lanes digest[HASH_WORDS]) {
    for (int i = 0; i < HASH_WORDS; i++) digest[i] = (Lanes){0} + INITIAL[i];
    Lanes a = digest[0], b = digest[1], c = digest[2], d = digest[3];
    Lanes e = digest[4], f = digest[5], g = digest[6], h = digest[7];
    for (int t = 0; t < ROUNDS; t++) {
        if (t >= MESSAGE_WORDS) {
            Lanes early = w[(t + 1) % MESSAGE_WORDS], late = w[(t + 14) % MESSAGE_WORDS];
            w[t % MESSAGE_WORDS] += (ROTATED(early, 7) ^ ROTATED(early, 18) ^ early >> 3) + w[(t + 9) % MESSAGE_WORDS] +
                                    (ROTATED(late, 17) ^ ROTATED(late, 19) ^ late >> 10);
        }
        Lanes t1 = h + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[t] +
                   w[t % MESSAGE_WORDS];
        Lanes t2 = (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    digest[0] += a, digest[1] += b, digest[2] += c, digest[3] += d;
    digest[4] += e, digest[5] += f, digest[6] += g, digest[7] += h;
}

static uint32_t big_endian(const uint8_t bytes[4]) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Append "/" and a number to a label and return the new length. The names are short and the numbers small. */
static int append_number(uint8_t label[LABEL_BYTES], int length, unsigned number) {
    uint8_t digits[10];
    int count = 0;
    do digits[count++] = (uint8_t)('0' + number % 10);
    while (number /= 10);
    label[length++] = '/';
    while (count) label[length++] = digits[--count];
    return length;
}

/* Hash the next blocks of a step into its words. */
static void refill(Step *step) {
    uint8_t prefix[LABEL_BYTES] = {0};
    int prefix_length = (int)strlen(step->name);
    memcpy(prefix, step->name, (size_t)prefix_length);
    prefix_length = append_number(prefix, prefix_length, step->occurrence);
    Lanes message[MESSAGE_WORDS] = {{0}}, digest[HASH_WORDS];
    for (int i = 0; i < SEED_WORDS; i++) message[i] = (Lanes){0} + big_endian(step->seed + 4 * i);
    for (int lane = 0; lane < LANES; lane++) {
        uint8_t label[LABEL_BYTES];
        memcpy(label, prefix, LABEL_BYTES);
        int length = append_number(label, prefix_length, step->next_hash++);
        label[length] = 0x80; /* the padding begins with a single bit */
        for (int i = 0; i < LABEL_BYTES / 4; i++) message[SEED_WORDS + i][lane] = big_endian(label + 4 * i);
        message[MESSAGE_WORDS - 1][lane] = 8 * (uint32_t)(SEED_BYTES + length);
    }
    hash(message, digest);
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < WORDS_PER_HASH; i++)
            step->words[lane * WORDS_PER_HASH + i] = (uint64_t)digest[2 * i][lane] << 32 | digest[2 * i + 1][lane];
    step->next_word = 0;
}

/* Return the next word that gives each integer below `bound` the same probability. Biased words are skipped. */
static uint64_t fair_word(Step *step, unsigned bound) {
    for (;;) {
        if (step->next_word == LANES * WORDS_PER_HASH) refill(step);
        uint64_t word = step->words[step->next_word++];
        if (word <= UINT64_MAX - bound) return word; /* fewer than `bound` words are biased, all at the end */
        uint64_t biased = (UINT64_MAX % bound + 1) % bound; /* 2^64 modulo bound */
        if (word <= UINT64_MAX - biased) return word;
    }
}

static Step begin(const uint8_t seed[SEED_BYTES], const char *name, unsigned occurrence) {
    return (Step){.seed = seed, .name = name, .occurrence = occurrence, .next_word = LANES * WORDS_PER_HASH};
}

void chance_shuffle(const uint8_t seed[SEED_BYTES], const char *name, unsigned occurrence, uint8_t *items, int count) {
    Step step = begin(seed, name, occurrence);
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(fair_word(&step, (unsigned)i + 1) % (unsigned)(i + 1));
        uint8_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

int chance_below(const uint8_t seed[SEED_BYTES], const char *name, unsigned occurrence, int bound) {
    Step step = begin(seed, name, occurrence);
    return (int)(fair_word(&step, (unsigned)bound) % (unsigned)bound);
}
