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

#include "copies.h"
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

START_TEST(copies_through_l1)
{
    table t;
    bw_copies *copies = malloc(sizeof *copies);
    unsigned copied = 0, wrong = 0, open = 0, open_wrong = 0, pairs = 0, pairs_wrong = 0;
    table_open(&t, "gpu-copies.csv");
    ck_assert(table_next(&t));
    while (table_next(&t)) {
        const bool pair = strcmp(t.cell[0], "pair") == 0;
        if (strcmp(t.cell[0], "plain") == 0) {
            ck_assert_uint_eq(counted(&t, number(&t, 4)), number(&t, 5));
            continue;
        }
        if (pair)
            bw_copies_make_pair(t.seed, number(&t, 1), t.source, false, copies);
        else
            bw_copies_make(t.seed, number(&t, 1), t.source, copies);
        ck_assert_uint_eq(copies->count, number(&t, 4));
        ck_assert_uint_eq(copies->wavefronts, number(&t, 5));
        ck_assert_uint_eq(copies->open, number(&t, 7));
        const bool differs = counted(&t, number(&t, 4)) != copies->wavefronts;
        copied += pair || copies->open ? 0 : (unsigned)copies->count;
        pairs += pair;
        pairs_wrong += pair && differs;
        open += copies->open;
        open_wrong += copies->open && differs;
        wrong += !pair && !copies->open && differs;
    }
    fclose(t.file);
    free(copies);
    ck_assert_uint_eq(copied, 9885);
    ck_assert_uint_eq(wrong, 4);
    ck_assert_uint_eq(open, 7);
    ck_assert_uint_eq(open_wrong, 4);
    ck_assert_uint_eq(pairs, 375);
    ck_assert_uint_eq(pairs_wrong, 0);
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
    tcase_add_test(tc, rows_at_a_pitch_cost_twice);
    tcase_add_test(tc, matrix_instructions);
    tcase_add_test(tc, source_page);
    return tap_run(tc);
}
