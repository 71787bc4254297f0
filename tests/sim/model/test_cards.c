/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is called measured was measured: each operation of each card has rows in its recordings.
 *
 * argv[1] is the root of the source tree.
 */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "bankwise.h"
#include "tap.h"

#define LEAST_ROWS 50u

static const char *root;

/* Adds the rows of a table whose first column is an operation. */
static void count_rows(const char *path, unsigned rows[BW_OP_COUNT])
{
    char line[4096];
    FILE *in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "cannot open %s", path);
    while (fgets(line, sizeof line, in)) {
        size_t length = strcspn(line, ",");
        bw_op op = line[length] == ',' ? bw_op_find(line, length) : BW_OP_COUNT;
        if (op != BW_OP_COUNT)
            rows[op]++;
    }
    fclose(in);
}

static void count_card(const bw_card *card, unsigned rows[BW_OP_COUNT])
{
    char folder[2048], path[4096];
    snprintf(folder, sizeof folder, "%s/%s", root, card->recordings);
    DIR *dir = opendir(folder);
    ck_assert_msg(dir != NULL, "%s has no folder %s", card->name, folder);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".csv") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count_rows(path, rows);
    }
    closedir(dir);
}

/* A row of wgmma.csv is a configuration: f16f32_n64_SS_t00, f16f32_n8_RS_t00_sp. One stands for
 * many instructions, and there are no addresses to vary. */
#define LEAST_CONFIGURATIONS 4u

static void add_configurations(const bw_card *card, unsigned rows[BW_OP_COUNT])
{
    static const bw_op ops[2][2] = {{BW_OP_WGMMA_RS, BW_OP_WGMMA_SS},
                                    {BW_OP_WGMMA_SP_RS, BW_OP_WGMMA_SP_SS}};
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/%s/wgmma/wgmma.csv", root, card->recordings);
    FILE *in = fopen(path, "rb");
    unsigned found[BW_OP_COUNT] = {0};
    while (in && fgets(line, sizeof line, in))
        if (strstr(line, "_SS_") || strstr(line, "_RS_"))
            found[ops[strstr(line, "_sp,") != NULL][strstr(line, "_SS_") != NULL]]++;
    for (int op = 0; op < BW_OP_COUNT; op++)
        rows[op] += found[op] >= LEAST_CONFIGURATIONS ? LEAST_ROWS : 0;
    if (in)
        fclose(in);
}

/* A swap is recorded as a part of the loops that end in it. */
static void add_swaps(unsigned rows[BW_OP_COUNT])
{
    for (int swap = 0; swap < BW_OP_COUNT; swap++)
        for (int op = 0; bw_op_get((bw_op)swap)->kind == BW_KIND_SWAP && op < BW_OP_COUNT; op++) {
            const bw_op_info *loop = bw_op_get((bw_op)op);
            if (loop->kind == BW_KIND_CAS_LOOP && loop->bytes == bw_op_get((bw_op)swap)->bytes)
                rows[swap] += rows[op];
        }
}

START_TEST(test_measured_operations_are_recorded)
{
    const bw_card *card;
    for (size_t i = 0; (card = bw_card_at(i)); i++) {
        unsigned rows[BW_OP_COUNT] = {0};
        count_card(card, rows);
        add_swaps(rows);
        add_configurations(card, rows);
        for (int op = 0; op < BW_OP_COUNT; op++)
            ck_assert_msg(!card->measured[op] || rows[op] >= LEAST_ROWS,
                          "%s: %u rows of %s are recorded, %u are the least to call it measured",
                          card->name, rows[op], bw_op_get((bw_op)op)->name, LEAST_ROWS);
    }
}
END_TEST

START_TEST(test_cards_make_sense)
{
    const bw_card *card;
    ck_assert_ptr_nonnull(bw_card_at(0));
    for (size_t i = 0; (card = bw_card_at(i)); i++) {
        const bw_arch *arch = bw_arch_find(card->arch);
        ck_assert_msg(arch && arch->cc == card->cc, "%s", card->name);
        ck_assert_ptr_nonnull(bw_card_of(arch));
        ck_assert(i == 0 || bw_card_at(i - 1)->cc <= card->cc);
    }
    ck_assert_ptr_null(bw_card_of(NULL));
    ck_assert_ptr_null(bw_card_of(bw_arch_find("sm_20")));
}
END_TEST

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    root = argv[1];
    TCase *tc = tcase_create("cards");
    tcase_add_test(tc, test_measured_operations_are_recorded);
    tcase_add_test(tc, test_cards_make_sense);
    return tap_run(tc);
}
