/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "../common/tap.h"

static const bw_column columns[] = {
    {.title = "n", .right = true},
    {.title = "name"},
    {.title = "first", .right = true, .optional = 1},
    {.title = "second", .right = true, .optional = 2},
    {.title = "text", .flexible = true},
};

/* The table as printed at `width`; malloc'd. Inlined, gcc 12 takes the result for its own local. */
__attribute__((noinline)) static char *printed(const bw_table *table, unsigned width, bool colour)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    bw_table_print(table, out, width, colour);
    fclose(out);
    return text;
}

static bw_table *sample(const char *text)
{
    bw_table *table = bw_table_create(columns, 5);
    bw_table_row(table, BW_ROW_PLAIN);
    bw_table_cell(table, "%d", 7);
    bw_table_cell(table, "%s", "seven");
    bw_table_cell(table, "%d", 1);
    bw_table_cell(table, "%d", 2);
    bw_table_cell(table, "%s", text);
    return table;
}

static size_t widest(const char *text)
{
    size_t most = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        most = length > most ? length : most;
        text += length + (text[length] == '\n');
    }
    return most;
}

START_TEST(optional_columns_enter_by_rank)
{
    bw_table *table = sample("abc");
    char *narrow = printed(table, 16, false), *middle = printed(table, 24, false),
         *wide = printed(table, 40, false);
    ck_assert_ptr_null(strstr(narrow, "first"));
    ck_assert_ptr_nonnull(strstr(middle, "first"));
    ck_assert_ptr_null(strstr(middle, "second"));
    ck_assert_ptr_nonnull(strstr(wide, "second"));
    free(narrow);
    free(middle);
    free(wide);
    bw_table_destroy(table);
}
END_TEST

START_TEST(every_width_is_kept)
{
    bw_table *table = sample("tile[threadIdx.y + j * blockDim.y][threadIdx.x ^ (threadIdx.y & 7)]");
    for (unsigned width = 24; width < 120; width++) {
        char *text = printed(table, width, false);
        ck_assert_uint_le(widest(text), width);
        free(text);
    }
    bw_table_destroy(table);
}
END_TEST

/* What wraps is whole: without spaces and line ends, the text is there in order. */
START_TEST(wrapping_loses_nothing)
{
    bw_table *table = sample("aa[bb][cc dd]ee");
    char *text = printed(table, 24, false), squeezed[512] = "";
    for (const char *p = strchr(text, '7'); *p; p++)
        if (*p != ' ' && *p != '\n')
            strncat(squeezed, p, 1);
    ck_assert_str_eq(squeezed, "7sevenaa[bb][ccdd]ee");
    free(text);
    bw_table_destroy(table);
}
END_TEST

START_TEST(what_is_too_long_is_cut)
{
    char longest[400];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    bw_table *table = sample(longest);
    char *text = printed(table, 40, false);
    ck_assert_uint_le(widest(text), 40);
    ck_assert_ptr_nonnull(strstr(text, "x...\n"));
    free(text);
    bw_table_destroy(table);
}
END_TEST

START_TEST(characters_are_counted_not_bytes)
{
    ck_assert_uint_eq(bw_text_width("Größe"), 5);
    bw_table *table = sample("Größe Größe Größe Größe Größe Größe");
    for (unsigned width = 20; width < 60; width++) {
        char *text = printed(table, width, false);
        ck_assert_int_ne((unsigned char)text[0] & 0xC0, 0x80);
        for (size_t i = 0; text[i]; i++) /* no line begins within a character */
            ck_assert(text[i] != '\n' || ((unsigned char)text[i + 1] & 0xC0) != 0x80);
        free(text);
    }
    bw_table_destroy(table);
}
END_TEST

START_TEST(no_line_ends_in_a_space)
{
    bw_table *table = bw_table_create(columns, 5);
    bw_table_row(table, BW_ROW_STRONG);
    bw_table_cell(table, "%s", "1");
    bw_table_rule(table);
    bw_table_row(table, BW_ROW_PLAIN); /* without any cell */
    char *text = printed(table, 60, false);
    ck_assert_ptr_null(strstr(text, " \n"));
    free(text);
    bw_table_destroy(table);
    bw_table_destroy(NULL);
    table = sample("one two three four five six seven");
    for (unsigned width = 24; width < 60; width++) {
        text = printed(table, width, false);
        ck_assert_ptr_null(strstr(text, " \n"));
        free(text);
    }
    bw_table_destroy(table);
}
END_TEST

START_TEST(colour_only_where_asked)
{
    bw_table *table = sample("abc");
    char *plain = printed(table, 60, false), *coloured = printed(table, 60, true);
    ck_assert_ptr_null(strchr(plain, '\033'));
    ck_assert_uint_eq(strlen(coloured), 0); /* it begins with the mark of a style */
    ck_assert_int_eq(strncmp(coloured + 1, "[1m", 3), 0);
    free(plain);
    free(coloured);
    bw_table_destroy(table);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("table");
    tcase_add_test(tests, optional_columns_enter_by_rank);
    tcase_add_test(tests, every_width_is_kept);
    tcase_add_test(tests, wrapping_loses_nothing);
    tcase_add_test(tests, what_is_too_long_is_cut);
    tcase_add_test(tests, characters_are_counted_not_bytes);
    tcase_add_test(tests, no_line_ends_in_a_space);
    tcase_add_test(tests, colour_only_where_asked);
    return tap_run(tests);
}
