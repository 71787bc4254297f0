/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The laws of copies, of matrix instructions and of the Source page, on recordings: what was asked
 * of the card is drawn again from the seed in a recording's head, priced, and held against what was
 * counted. The numbers of mismatches are those that gpu/MEASURED.md states.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bankwise.h"
#include "corners.h"
#include "families.h"
#include "pagelaw.h"
#include "tap.h"
#include "tensors.h"

#define MOST_CELLS 16u

static const char *folder;

typedef struct table {
    FILE *file;
    uint64_t source, seed;
    char line[512], *cell[MOST_CELLS];
    size_t cells;
} table;

static void table_open(table *t, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *t = (table){.file = fopen(path, "r")};
    ck_assert_msg(t->file != NULL, "cannot read %s", path);
}

/* The next row's cells; the first is the header. Reads the head on the way. */
static bool table_next(table *t)
{
    do {
        if (!fgets(t->line, sizeof t->line, t->file))
            return false;
        if (strncmp(t->line, "# source: ", 10) == 0)
            t->source = strtoull(t->line + 10, NULL, 16);
        if (strncmp(t->line, "# seed: ", 8) == 0)
            t->seed = strtoull(t->line + 8, NULL, 10);
    } while (t->line[0] == '#');
    char *rest = t->line;
    for (t->cells = 0; t->cells < MOST_CELLS && rest; t->cells++)
        t->cell[t->cells] = strsep(&rest, ",\n");
    return true;
}

static unsigned number(const table *t, size_t cell)
{
    ck_assert_uint_gt(t->cells, cell);
    return (unsigned)strtoul(t->cell[cell], NULL, 10);
}

/* A launch counts 1 by itself and 3 for each copy: ptxas puts as many never-executed loads before.
 */
static unsigned counted(const table *t, unsigned copies)
{
    return number(t, 8) - 1 - 3 * copies;
}

/* ---- the model, on the same copies ---- */

static bw_op op_of(uint32_t bytes)
{
    return bytes == 4 ? BW_OP_CP_ASYNC_4 : bytes == 8 ? BW_OP_CP_ASYNC_8 : BW_OP_CP_ASYNC_16_CA;
}

/* What the model says of all copies of a launch. */
static unsigned modelled(const bw_copies *copies)
{
    static bw_copy_state state;
    const bw_arch *arch = bw_arch_find("sm_90");
    unsigned wavefronts = 0;
    bw_copy_start(&state, false);
    for (size_t k = 0; k < copies->count; k++) {
        const bw_copy *copy = &copies->copy[k];
        bw_sources sources = {.placed = true};
        bw_request request = {
            .op = op_of(copy->bytes), .active = copy->active, .sources = &sources};
        bw_cost cost;
        for (unsigned lane = 0; lane < BW_COPY_LANES; lane++) {
            request.addr[lane] = copy->to[lane];
            sources.addr[lane] = copy->from[lane];
            sources.bytes[lane] = copy->zero >> lane & 1 ? 0 : (uint8_t)copy->bytes;
        }
        if (!copy->active)
            continue;
        bw_copy_touch(&state, &request, &sources);
        ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
        wavefronts += cost.wavefronts;
    }
    return wavefronts;
}

/* ---- random launches ---- */

typedef struct copies_row {
    const char *kind;
    unsigned copies, counted, seen; /* seen: what the card counted */
    bool open, differs;
} copies_row;

/* The next launch that is not plain, drawn again, with the law's and the model's prices. */
static bool next_launch(table *t, bw_copies *copies, copies_row *row)
{
    do
        if (!table_next(t))
            return false;
    while (strcmp(t->cell[0], "plain") == 0 && counted(t, number(t, 4)) == number(t, 5));
    const bool pair = strcmp(t->cell[0], "pair") == 0;
    ck_assert_str_ne(t->cell[0], "plain");
    if (strcmp(t->cell[0], "random") == 0)
        bw_copies_make(t->seed, number(t, 1), t->source, copies);
    else
        bw_copies_make_pair(t->seed, number(t, 1), t->source, !pair, copies);
    ck_assert_uint_eq(copies->count, number(t, 4));
    ck_assert_uint_eq(copies->wavefronts, number(t, 5));
    ck_assert_uint_eq(copies->open, number(t, 7));
    ck_assert_uint_eq(modelled(copies), copies->wavefronts);
    const unsigned seen = counted(t, number(t, 4));
    *row = (copies_row){t->cell[0],   (unsigned)copies->count,   copies->wavefronts, seen,
                        copies->open, seen != copies->wavefronts};
    return true;
}

/* What a file of launches holds: of each kind how many, and how many were not as predicted. */
typedef struct copies_sum {
    unsigned copied, wrong, open, open_wrong, pairs, pairs_wrong, scattered, scattered_wrong;
} copies_sum;

static copies_sum sum_of(const char *name)
{
    table t;
    copies_row row;
    copies_sum sum = {0};
    bw_copies *copies = malloc(sizeof *copies);
    table_open(&t, name);
    ck_assert(table_next(&t));
    while (next_launch(&t, copies, &row)) {
        const bool random = strcmp(row.kind, "random") == 0, pair = strcmp(row.kind, "pair") == 0;
        sum.pairs += pair;
        sum.pairs_wrong += pair && row.differs;
        sum.open += random && row.open;
        sum.open_wrong += random && row.open && row.differs;
        sum.copied += random && !row.open ? row.copies : 0;
        sum.wrong += random && !row.open && row.differs;
        sum.scattered += !random && !pair;
        sum.scattered_wrong += !random && !pair && row.differs;
    }
    fclose(t.file);
    free(copies);
    return sum;
}

START_TEST(copies_through_l1)
{
    const copies_sum first = sum_of("gpu-copies.csv"), second = sum_of("gpu-copies-2.csv");
    ck_assert_uint_eq(first.copied, 9885);
    ck_assert_uint_eq(first.wrong, 4);
    ck_assert_uint_eq(first.open, 7);
    ck_assert_uint_eq(first.open_wrong, 4);
    ck_assert_uint_eq(first.pairs, 375);
    ck_assert_uint_eq(first.pairs_wrong, 0);
    ck_assert_uint_eq(second.copied, 10226);
    ck_assert_uint_eq(second.wrong, 3);
    ck_assert_uint_eq(second.open, 5);
    ck_assert_uint_eq(second.open_wrong, 3);
    ck_assert_uint_eq(second.pairs, 640);
    ck_assert_uint_eq(second.pairs_wrong, 7);
    ck_assert_uint_eq(second.scattered, 300);
    ck_assert_uint_eq(second.scattered_wrong, 35);
}
END_TEST

/* ---- what the law leaves open ---- */

/* What the second copy of a launch of two mixes: its lanes that hit, that miss, and that write
 * zeros. */
enum { HITS = 1, MISSES = 2, ZEROS = 4, MIXTURES = 8 };

static unsigned mixture_of(const bw_copies *copies)
{
    static bw_copy_state state;
    unsigned mixture = 0;
    bw_copy_start(&state, false);
    for (size_t k = 0; k < 2; k++) {
        const bw_copy *copy = &copies->copy[k];
        const uint32_t reading = copy->active & ~copy->zero;
        bw_sources sources = {.placed = true};
        const bw_request request = {.op = op_of(copy->bytes), .active = copy->active};
        for (unsigned lane = 0; lane < BW_COPY_LANES; lane++) {
            sources.addr[lane] = copy->from[lane];
            sources.bytes[lane] = copy->zero >> lane & 1 ? 0 : (uint8_t)copy->bytes;
        }
        bw_copy_touch(&state, &request, &sources);
        mixture = (sources.cached & reading ? HITS : 0) | (reading & ~sources.cached ? MISSES : 0) |
                  (copy->active & copy->zero ? ZEROS : 0);
    }
    return mixture;
}

START_TEST(copies_in_corners)
{
    table t;
    bw_copies *copies = malloc(sizeof *copies);
    unsigned launches[MIXTURES] = {0}, wrong[MIXTURES] = {0}, many_wrong = 0;
    table_open(&t, "gpu-corners.csv");
    ck_assert(table_next(&t));
    while (table_next(&t)) {
        if (strcmp(t.cell[0], "mixed") != 0)
            continue;
        bw_corner_mixed(t.seed, number(&t, 1), t.source, copies);
        ck_assert_uint_eq(modelled(copies), copies->wavefronts);
        const bool differs = counted(&t, 2) != copies->wavefronts;
        const unsigned mixture = mixture_of(copies);
        launches[mixture]++;
        wrong[mixture] += differs;
        many_wrong += differs && mixture == (HITS | MISSES) && copies->open;
    }
    fclose(t.file);
    free(copies);
    /* Hits, misses or zeros alone, and misses with zeros: always as the law says. */
    ck_assert_uint_eq(launches[HITS] + launches[MISSES] + launches[ZEROS], 85 + 64 + 31);
    ck_assert_uint_eq(wrong[HITS] + wrong[MISSES] + wrong[ZEROS], 0);
    ck_assert_uint_eq(launches[MISSES | ZEROS], 117);
    ck_assert_uint_eq(wrong[MISSES | ZEROS], 0);
    /* Hits with misses: but in more than eight passes. */
    ck_assert_uint_eq(launches[HITS | MISSES], 198);
    ck_assert_uint_eq(wrong[HITS | MISSES], 8);
    ck_assert_uint_eq(many_wrong, 8);
    /* Hits with zeros: open. */
    ck_assert_uint_eq(launches[HITS | ZEROS], 120);
    ck_assert_uint_eq(wrong[HITS | ZEROS], 26);
    ck_assert_uint_eq(launches[HITS | MISSES | ZEROS], 585);
    ck_assert_uint_eq(wrong[HITS | MISSES | ZEROS], 113);
}
END_TEST

/* The prediction that stands in the file was made when bits from 32 up were not known. */
START_TEST(bits_that_choose_the_set)
{
    static const char base[] = "# bits: ";
    table t;
    char line[512];
    uint64_t source = 0;
    bw_copies *copies = malloc(sizeof *copies);
    unsigned launches = 0;
    table_open(&t, "gpu-corners.csv");
    while (!source && fgets(line, sizeof line, t.file))
        source = strncmp(line, base, sizeof base - 1) == 0
                     ? strtoull(line + sizeof base - 1, NULL, 16)
                     : 0;
    while (table_next(&t)) {
        if (strcmp(t.cell[0], "bit") != 0)
            continue;
        ck_assert(
            bw_corner_bit(number(&t, 2) / 4, number(&t, 2) % 4, number(&t, 1), source, copies));
        ck_assert_uint_eq(counted(&t, 1), copies->wavefronts);
        ck_assert_uint_eq(modelled(copies), copies->wavefronts);
        launches++;
    }
    fclose(t.file);
    free(copies);
    ck_assert_uint_eq(launches, 8 * (BW_CORNER_LAST_BIT - BW_CORNER_FIRST_BIT + 1));
}
END_TEST

START_TEST(lines_that_l1_lets_go)
{
    table t;
    unsigned kept[3] = {0}; /* copies of 32 lines after which the first was still there */
    bw_copies *copies = malloc(sizeof *copies);
    table_open(&t, "gpu-corners.csv");
    ck_assert(table_next(&t));
    while (table_next(&t)) {
        if (strcmp(t.cell[0], "evicted") != 0)
            continue;
        bw_corner_evicted(number(&t, 1), t.source, copies);
        ck_assert_uint_eq(modelled(copies), copies->wavefronts);
        if (counted(&t, number(&t, 4)) == copies->wavefronts)
            kept[number(&t, 2) / 50]++;
    }
    fclose(t.file);
    free(copies);
    ck_assert_uint_eq(kept[0], BW_COPIES_MOST - 1);
    ck_assert_uint_eq(kept[1], BW_COPIES_MOST - 1);
    ck_assert_uint_eq(kept[2], 5);
}
END_TEST

/* Rows of 64 bytes at a pitch of 1,024, and packed: four copies of 16 bytes a lane. */
START_TEST(rows_at_a_pitch_cost_twice)
{
    const unsigned pitches[] = {1024, 64}, wanted[] = {32, 16};
    for (unsigned which = 0; which < 2; which++) {
        bw_cache *cache = calloc(1, sizeof *cache);
        unsigned wavefronts = 0;
        for (unsigned i = 0; i < 4; i++) {
            bw_copy copy = {.bytes = 16, .active = UINT32_MAX};
            for (unsigned lane = 0; lane < 32; lane++) {
                const unsigned row = lane / 4 + 8 * i;
                copy.to[lane] = row * 64 + lane % 4 * 16;
                copy.from[lane] = (uint64_t)row * pitches[which] + lane % 4 * 16;
            }
            wavefronts += bw_copy_price(&copy, cache).wavefronts;
        }
        free(cache);
        ck_assert_uint_eq(wavefronts, wanted[which]);
    }
}
END_TEST

START_TEST(matrix_instructions)
{
    table t;
    unsigned kernels = 0, places = 0;
    table_open(&t, "gpu-wgmma.csv");
    ck_assert(table_next(&t));
    while (table_next(&t)) {
        const char *name = t.cell[0];
        const unsigned n = (unsigned)strtoul(strstr(name, "_n") + 2, NULL, 10);
        const bool in_shared = strstr(name, "_ss") != NULL, sparse = strstr(name, "_sp_") != NULL;
        const unsigned wavefronts = bw_tensor_wavefronts(n, in_shared, sparse);
        ck_assert_uint_eq(number(&t, 3), wavefronts);
        ck_assert_uint_eq(number(&t, 4), bw_tensor_cycles(n, in_shared, sparse));
        /* 320 instructions of each warpgroup, at each place. */
        ck_assert_uint_eq(number(&t, 8), number(&t, 1) * number(&t, 2) * 320 * wavefronts);
        ck_assert_uint_eq(number(&t, 9), 0);
        places += number(&t, 1);
        kernels++;
    }
    fclose(t.file);
    ck_assert_uint_eq(kernels, 250);
    ck_assert_uint_eq(places, 12000);
}
END_TEST

static bw_page_cost page_of(const table *t, bw_op op)
{
    if (op == BW_OP_CP_ASYNC_16) {
        bw_copy copy;
        bw_copy_make(t->seed, number(t, 1), 16, t->source, &copy);
        return bw_page_bypass(&copy);
    }
    bw_request request;
    bw_family_request(op, t->seed, number(t, 1), BW_COPIES_SHARED, &request);
    return bw_page_load(op == BW_OP_LD_64 ? 8 : 16, request.active, request.addr);
}

START_TEST(source_page)
{
    static const struct {
        bw_op op;
        unsigned rows, wrong;
    } wanted[] = {{BW_OP_LD_64, 10240, 0}, {BW_OP_LD_128, 10240, 0}, {BW_OP_CP_ASYNC_16, 4200, 44}};
    unsigned rows[BW_OP_COUNT] = {0}, wrong[BW_OP_COUNT] = {0};
    table t;
    table_open(&t, "gpu-pages.csv");
    ck_assert(table_next(&t));
    while (table_next(&t)) {
        const bw_op op = bw_op_find(t.cell[0], strlen(t.cell[0]));
        const bw_page_cost cost = page_of(&t, op);
        if (number(&t, 3) == 0)
            continue; /* the tool looked at some instructions only */
        rows[op]++;
        wrong[op] += cost.wavefronts != number(&t, 2) || cost.ideal != number(&t, 3);
    }
    fclose(t.file);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        ck_assert_uint_eq(rows[wanted[i].op], wanted[i].rows);
        ck_assert_uint_eq(wrong[wanted[i].op], wanted[i].wrong);
    }
}
END_TEST

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    TCase *tc = tcase_create("laws");
    tcase_add_test(tc, copies_through_l1);
    tcase_add_test(tc, copies_in_corners);
    tcase_add_test(tc, bits_that_choose_the_set);
    tcase_add_test(tc, lines_that_l1_lets_go);
    tcase_add_test(tc, rows_at_a_pitch_cost_twice);
    tcase_add_test(tc, matrix_instructions);
    tcase_add_test(tc, source_page);
    return tap_run(tc);
}
