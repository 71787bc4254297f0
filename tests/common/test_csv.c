/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of tables: quotes, blanks, separators, and reading in place as reading beside. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "csv.h"
#include "tap.h"

/* Reads `text` to its last cell; the cells' texts, joined by '|', are `expected`. */
static void check_cells(const char *text, char separator, bool in_place, const char *expected)
{
    char room[256], joined[256] = "";
    snprintf(room, sizeof room, "%s", text);
    const char *at = in_place ? room : text, *end = at + strlen(text);
    bw_csv_cell cell = {.last = false};
    while (!cell.last) {
        bw_csv_cell measured;
        char beside[64];
        ck_assert(bw_csv_read(at, end, separator, NULL, &measured));
        ck_assert(bw_csv_read(at, end, separator, in_place ? (char *)at : beside, &cell));
        ck_assert_uint_eq(measured.len, strlen(cell.text));
        ck_assert_ptr_eq(measured.next, cell.next);
        strcat(joined, cell.text);
        strcat(joined, cell.last ? "" : "|");
        at = cell.next;
    }
    ck_assert_str_eq(joined, expected);
}

START_TEST(test_cells)
{
    static const struct {
        const char *text;
        char separator;
        const char *cells;
    } rows[] = {
        {"", ',', ""},
        {"a", ',', "a"},
        {"a,b,c", ',', "a|b|c"},
        {",,", ',', "||"},
        {" a , b\t,c \r", ',', "a|b|c"},
        {"a;b,c", ';', "a|b,c"},
        {"a\t\tb", '\t', "a||b"},
        {"\"a,b\",c", ',', "a,b|c"},
        {" \"a\" , \" b \"", ',', "a| b "},
        {"\"say \"\"x\"\"\",2", ',', "say \"x\"|2"},
        {"\"\",\"\"\"\"", ',', "|\""},
        {"5\"6,7", ',', "5\"6|7"},
        {"a,b\nc,d", ',', "a|b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int in_place = 0; in_place < 2; in_place++)
            check_cells(rows[i].text, rows[i].separator, in_place, rows[i].cells);
}
END_TEST

START_TEST(test_lines_within)
{
    const char text[] = "\"one\ntwo\nthree\",x\nnext";
    char to[32];
    bw_csv_cell cell;
    ck_assert(bw_csv_read(text, text + strlen(text), ',', to, &cell));
    ck_assert_str_eq(to, "one\ntwo\nthree");
    ck_assert_uint_eq(cell.lines, 2);
    ck_assert(!cell.last && !cell.surplus);
    ck_assert(bw_csv_read(cell.next, text + strlen(text), ',', to, &cell));
    ck_assert_str_eq(to, "x");
    ck_assert(cell.last);
    ck_assert_str_eq(cell.next, "next");
}
END_TEST

START_TEST(test_wrong_quotes)
{
    const char *open = "\"a,b", *surplus = "\"a\" b,c";
    char to[32];
    bw_csv_cell cell;
    ck_assert(!bw_csv_read(open, open + strlen(open), ',', to, &cell));
    ck_assert(bw_csv_read(surplus, surplus + strlen(surplus), ',', to, &cell));
    ck_assert(cell.surplus);
    ck_assert_str_eq(to, "a");
    ck_assert_str_eq(cell.next, "c");
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("csv");
    tcase_add_test(tc, test_cells);
    tcase_add_test(tc, test_lines_within);
    tcase_add_test(tc, test_wrong_quotes);
    return tap_run(tc);
}
