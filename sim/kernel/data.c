/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "data.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define HOW_LAW "write zero, iota, iota:TYPE, random:TYPE:LOW..HIGH, rand:SEED%N or file:NAME"
#define HOW_TYPE "a type is i8, u8, i16, u16, i32, u32, i64, u64, f32 or f64"
#define HOW_RANGE "write the range as 0..255: whole numbers of the type, the lower first"
#define HOW_RAND "write rand:1%256: the seed, and what the numbers are taken modulo"

static const struct element_type {
    const char *name;
    uint8_t size;
    bool is_signed, is_real;
} element_types[] = {
    {"i8", 1, true, false},   {"u8", 1, false, false},  {"i16", 2, true, false},
    {"u16", 2, false, false}, {"i32", 4, true, false},  {"u32", 4, false, false},
    {"i64", 8, true, false},  {"u64", 8, false, false}, {"f32", 4, true, true},
    {"f64", 8, true, true},
};

/* ---- reading ---- */

static const struct element_type *find_type(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
        if (strlen(element_types[i].name) == len && memcmp(element_types[i].name, text, len) == 0)
            return &element_types[i];
    return NULL;
}

/* A whole number of the type at *text, which moves past it. */
static bool read_whole(const char **text, const struct element_type *type, uint64_t *value)
{
    char *end;
    bool negative = **text == '-';
    errno = 0;
    if (!isdigit((unsigned char)(*text)[negative]) || (negative && !type->is_signed))
        return false;
    *value = negative ? (uint64_t)strtoll(*text, &end, 0) : strtoull(*text, &end, 0);
    *text = end;
    unsigned bits = 8u * type->size - type->is_signed;
    uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return !errno && (negative ? ~*value <= most : *value <= most);
}

static bool read_integers(bw_data_law *law, const struct element_type *type, const char *text)
{
    uint64_t high;
    if (!read_whole(&text, type, &law->low) || strncmp(text, "..", 2) != 0)
        return false;
    text += 2;
    if (!read_whole(&text, type, &high) || *text)
        return false;
    law->range = high - law->low;
    return type->is_signed ? (int64_t)high >= (int64_t)law->low : high >= law->low;
}

static bool read_reals(bw_data_law *law, const char *text)
{
    const char *dots = strstr(text, "..");
    char *end;
    if (!dots)
        return false;
    law->real[0] = strtod(text, &end);
    if (end == text || (end != dots && end != dots + 1)) /* "0..1": the number took a point */
        return false;
    law->real[1] = strtod(dots + 2, &end);
    return end != dots + 2 && !*end && law->real[0] <= law->real[1];
}

/* After "random:" */
static const char *read_random(bw_data_law *law, const char *text)
{
    size_t len = strcspn(text, ":");
    const struct element_type *type = find_type(text, len);
    if (!type)
        return HOW_TYPE;
    law->kind = BW_DATA_RANDOM;
    law->size = type->size;
    law->is_real = type->is_real;
    if (!text[len]) {
        if (type->is_real)
            law->real[1] = 1;
        law->range = UINT64_MAX; /* every pattern of bits */
        return NULL;
    }
    const char *range = text + len + 1;
    return (type->is_real ? read_reals(law, range) : read_integers(law, type, range)) ? NULL
                                                                                      : HOW_RANGE;
}

static bool read_count(const char **text, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**text))
        return false;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return !errno && *value <= most;
}

/* After "rand:" */
static const char *read_rand(bw_data_law *law, const char *text)
{
    uint64_t seed, modulus = 0;
    law->kind = BW_DATA_RAND;
    law->size = 4;
    if (!read_count(&text, UINT32_MAX, &seed))
        return HOW_RAND;
    if (*text == '+') {
        text++;
        if (!read_count(&text, UINT64_C(1) << 32, &law->skip))
            return HOW_RAND;
    }
    if (*text == '%') {
        text++;
        if (!read_count(&text, INT32_MAX, &modulus) || !modulus)
            return HOW_RAND;
    }
    law->seed = (uint32_t)seed;
    law->modulus = (uint32_t)modulus;
    return *text ? HOW_RAND : NULL;
}

const char *bw_data_read(bw_data_law *law, const char *text)
{
    *law = (bw_data_law){.kind = BW_DATA_ZERO, .size = 1};
    if (strcmp(text, "zero") == 0)
        return NULL;
    if (strcmp(text, "iota") == 0 || strncmp(text, "iota:", 5) == 0) {
        const struct element_type *type =
            text[4] ? find_type(text + 5, strlen(text + 5)) : find_type("i32", 3);
        if (!type)
            return HOW_TYPE;
        law->kind = BW_DATA_IOTA;
        law->size = type->size;
        law->is_real = type->is_real;
        return NULL;
    }
    if (strncmp(text, "random:", 7) == 0)
        return read_random(law, text + 7);
    if (strncmp(text, "rand:", 5) == 0)
        return read_rand(law, text + 5);
    if (strncmp(text, "file:", 5) == 0 && text[5]) {
        law->kind = BW_DATA_FILE;
        law->path = text + 5;
        return NULL;
    }
    return HOW_LAW;
}

/* ---- filling ---- */

/* The i-th of a stream of 64 random bits that needs none of those before. */
static uint64_t random_bits(uint64_t key, uint64_t i)
{
    return bw_random_mix(key + (i + 1) * BW_RANDOM_STEP);
}

/* 0 … range, evenly to within range / 2^64. */
static uint64_t below(uint64_t bits, uint64_t range)
{
    if (range == UINT64_MAX)
        return bits;
    uint64_t count = range + 1, high = bits >> 32, low = bits & UINT32_MAX; /* bits * count >> 64 */
    uint64_t middle = high * (count & UINT32_MAX) + (low * (count & UINT32_MAX) >> 32);
    return high * (count >> 32) + (middle >> 32) +
           ((low * (count >> 32) + (middle & UINT32_MAX)) >> 32);
}

static uint64_t real_bits(const bw_data_law *law, double value)
{
    uint64_t bits = 0;
    float single = (float)value;
    memcpy(&bits, law->size == 8 ? (void *)&value : (void *)&single, law->size);
    return bits;
}

static uint64_t element(const bw_data_law *law, uint64_t key, uint64_t i)
{
    if (law->kind == BW_DATA_IOTA)
        return law->is_real ? real_bits(law, (double)i) : i;
    if (law->kind == BW_DATA_ZERO)
        return 0;
    uint64_t bits = random_bits(key, i);
    if (!law->is_real)
        return law->low + below(bits, law->range);
    double unit = (double)(bits >> 11) * 0x1p-53;
    return real_bits(law, law->real[0] + unit * (law->real[1] - law->real[0]));
}

/*
 * rand() of the GNU C library after srand(seed): an additive feedback generator, r[i] = r[i-3] +
 * r[i-31], begun by a linear congruence, whose first 310 numbers are thrown away (its manual,
 * "ISO Random"; the numbers of other libraries differ).
 */
#define RAND_LAG 31
#define RAND_NEAR 3
#define RAND_DISCARDED 310

typedef struct rand_state {
    uint32_t r[RAND_LAG];
    unsigned at;
} rand_state;

static uint32_t rand_next(rand_state *s)
{
    uint32_t value = s->r[s->at] + s->r[(s->at + RAND_LAG - RAND_NEAR) % RAND_LAG];
    s->r[s->at] = value;
    s->at = (s->at + 1) % RAND_LAG;
    return value >> 1;
}

static void rand_seed(rand_state *s, uint32_t seed)
{
    int64_t word = (int32_t)(seed ? seed : 1);
    s->r[0] = (uint32_t)word;
    for (unsigned i = 1; i < RAND_LAG; i++) {
        word = 16807 * word % 2147483647;
        word = word < 0 ? word + 2147483647 : word;
        s->r[i] = (uint32_t)word;
    }
    s->at = RAND_NEAR;
    for (unsigned i = 0; i < RAND_DISCARDED; i++)
        rand_next(s);
}

static void fill_rand(const bw_data_law *law, uint8_t *bytes, uint64_t size)
{
    rand_state s;
    rand_seed(&s, law->seed);
    for (uint64_t i = 0; i < law->skip; i++)
        rand_next(&s);
    for (uint64_t i = 0; i + 4 <= size; i += 4) {
        uint32_t value = rand_next(&s);
        value = law->modulus ? value % law->modulus : value;
        memcpy(bytes + i, &value, 4);
    }
}

void bw_data_fill(const bw_data_law *law, uint32_t seed, uint32_t stream, uint8_t *bytes,
                  uint64_t size)
{
    uint64_t key = bw_random_mix((uint64_t)seed << 32 | stream);
    if (law->kind == BW_DATA_ZERO) {
        memset(bytes, 0, size);
        return;
    }
    if (law->kind == BW_DATA_RAND) {
        fill_rand(law, bytes, size);
        return;
    }
    for (uint64_t i = 0; (i + 1) * law->size <= size; i++) {
        uint64_t bits = element(law, key, i);
        memcpy(bytes + i * law->size, &bits, law->size);
    }
}
