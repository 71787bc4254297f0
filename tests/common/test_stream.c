/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Request streams: what is read, what is refused and how, and that writing and reading agree.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "tap.h"

/* "a0,a1,…,a31" and a row's 32 addresses 0, 4, … 124. */
static const char names[] = "a0,a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,"
                            "a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31";
static const char linear[] = "0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,"
                             "96,100,104,108,112,116,120,124";

static char *joined(const char *format, const char *a, const char *b)
{
    size_t size = strlen(format) + strlen(a) + strlen(b) + 1;
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    snprintf(text, size, format, a, b);
    return text;
}

static FILE *open_text(char *text, size_t len)
{
    FILE *file = len ? fmemopen(text, len, "rb") : fopen("/dev/null", "rb");
    ck_assert_ptr_nonnull(file);
    return file;
}

/* Reads all; returns the rows read, or -1 with the error, which the caller frees. */
static int read_all(char *text, size_t len, bw_stream_row *last, char **error)
{
    FILE *file = open_text(text, len);
    bw_stream_reader *reader = bw_stream_open(file, "in.csv");
    int rows = 0, got;
    while ((got = bw_stream_next(reader, last)) == 1)
        rows++;
    ck_assert_int_eq(bw_stream_next(reader, last), got); /* and stays so */
    *error = strdup(bw_stream_error(reader));
    bw_stream_close(reader);
    fclose(file);
    return got == 0 ? rows : -1;
}

static void expect_error_of(char *text, size_t len, const char *expected)
{
    bw_stream_row row;
    char *error;
    ck_assert_int_eq(read_all(text, len, &row, &error), -1);
    ck_assert_str_eq(error, expected);
    free(error);
    free(text);
}

/* A header and `row`, in which %s is the linear addresses. */
static void expect_error(const char *row, const char *expected)
{
    char *body = joined(row, linear, "");
    char *text = joined("op,active,%s\n%s\n", names, body);
    free(body);
    expect_error_of(text, strlen(text), expected);
}

static void expect_rows(char *text, int rows, bw_stream_row *last)
{
    char *error;
    int got = read_all(text, strlen(text), last, &error);
    ck_assert_msg(got == rows, "%d rows, not %d: %s", got, rows, error);
    free(error);
    free(text);
}

START_TEST(test_plain)
{
    bw_stream_row row;
    char *body = joined("ld.32,0000ffff,%s\nst.32,0x3,%s\n", linear, linear);
    expect_rows(joined("op,active,%s\n%s", names, body), 2, &row);
    free(body);
    ck_assert_int_eq(row.request.op, BW_OP_ST_32);
    ck_assert_uint_eq(row.request.active, 3);
    ck_assert_uint_eq(row.request.addr[31], 124);
    ck_assert_uint_eq(row.line, 3);
    ck_assert_uint_eq(row.field_count, 34);
}
END_TEST

/* CR LF, a byte-order mark, blank lines, comments between rows, blanks in cells, no last line end.
 */
START_TEST(test_forgiving)
{
    bw_stream_row row;
    char *body =
        joined("\r\n# a comment\r\n  ld.32 , ffffffff ,%s\r\n\n# more\nld.8,1,%s", linear, linear);
    expect_rows(joined("\xef\xbb\xbfop,active,%s\r\n%s", names, body), 2, &row);
    free(body);
    ck_assert_int_eq(row.request.op, BW_OP_LD_8);
}
END_TEST

START_TEST(test_columns_in_any_order)
{
    char *text = joined("cycles,%s,note,active,op\n1.5,%s,x,f,ld.32\n", names, linear);
    FILE *file = open_text(text, strlen(text));
    bw_stream_reader *reader = bw_stream_open(file, "in.csv");
    bw_stream_row row;
    ck_assert_int_eq(bw_stream_next(reader, &row), 1);
    ck_assert_uint_eq(row.request.active, 15);
    ck_assert_int_eq(bw_stream_column(reader, "cycles"), 0);
    ck_assert_str_eq(row.fields[0], "1.5");
    ck_assert_str_eq(row.fields[bw_stream_column(reader, "note")], "x");
    ck_assert_int_eq(bw_stream_column(reader, "absent"), -1);
    bw_stream_close(reader);
    fclose(file);
    free(text);
}
END_TEST

/* As spreadsheets and libraries write it that quote every cell. */
START_TEST(test_quotes)
{
    bw_stream_row row;
    FILE *file;
    char text[4096], *to = text;
    to += sprintf(to, "\"op\",\"active\",\"cycles\",\"re\"\"mark\"");
    for (int lane = 0; lane < BW_LANES; lane++)
        to += sprintf(to, ", \"a%d\" ", lane);
    to += sprintf(to, "\r\n\"ld.32\",\"0000ffff\",1.5,\"one, \"\"two\"\"\"");
    for (int lane = 0; lane < BW_LANES; lane++)
        to += sprintf(to, ",\"%d\"", 4 * lane);
    file = open_text(text, (size_t)(to - text));
    bw_stream_reader *reader = bw_stream_open(file, "in.csv");
    ck_assert_int_eq(bw_stream_next(reader, &row), 1);
    ck_assert_uint_eq(row.request.op, BW_OP_LD_32);
    ck_assert_uint_eq(row.request.active, 0xffff);
    ck_assert_uint_eq(row.request.addr[31], 124);
    ck_assert_str_eq(row.fields[bw_stream_column(reader, "cycles")], "1.5");
    ck_assert_str_eq(row.fields[bw_stream_column(reader, "re\"mark")], "one, \"two\"");
    ck_assert_int_eq(bw_stream_next(reader, &row), 0);
    bw_stream_close(reader);
    fclose(file);
    static const char bad[] = "in.csv:2: a quote opens a cell and none closes it; write \"...\" "
                              "around the whole cell, and quotes within twice";
    expect_error("\"ld.32,ffffffff,%s", bad);
    expect_error("\"ld.32\"x,ffffffff,%s", bad);
    expect_error("ld.32,\"ffffffff\"\",%s", bad);
}
END_TEST

START_TEST(test_meta)
{
    char *body = joined("# device: some card, 1\n# method:\n# words\nop,active,%s\n#device: other "
                        ": card\n%s",
                        names, "");
    FILE *file = open_text(body, strlen(body));
    bw_stream_reader *reader = bw_stream_open(file, "in.csv");
    bw_stream_row row;
    ck_assert_ptr_null(bw_stream_meta(reader, "device"));
    ck_assert_int_eq(bw_stream_next(reader, &row), 0);
    ck_assert_str_eq(bw_stream_meta(reader, "device"), "other : card");
    ck_assert_str_eq(bw_stream_meta(reader, "method"), "");
    ck_assert_ptr_null(bw_stream_meta(reader, "words"));
    bw_stream_close(reader);
    fclose(file);
    free(body);
}
END_TEST

START_TEST(test_inactive_lanes_may_be_empty)
{
    bw_stream_row row;
    expect_rows(joined("op,active,%s\nld.64,1,8%s\n", names, ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"), 1,
                &row);
    ck_assert_uint_eq(row.request.addr[0], 8);
    ck_assert_uint_eq(row.request.addr[1], 0);
    /* A matrix operation reads the first lanes only. */
    expect_rows(joined("op,active,%s\nldmatrix.x1,ffffffff,0,16,32,48,64,80,96,112%s\n", names,
                       ",3,,,,,,,,,,,,,,,,,,,,,,,"),
                1, &row);
}
END_TEST

START_TEST(test_bad_rows)
{
    expect_error("ld.33,1,%s", "in.csv:2: unknown operation 'ld.33'; operations are named like "
                               "ld.32, st.128, ldmatrix.x4, atom.add.u32, cp.async.16");
    expect_error("ld.32,xyz,%s", "in.csv:2: active is 'xyz'; write the lane mask as up to eight "
                                 "hexadecimal digits, like ffffffff");
    expect_error("ld.32,1ffffffff,%s",
                 "in.csv:2: active is '1ffffffff'; write the lane mask as up to eight hexadecimal "
                 "digits, like ffffffff");
    expect_error("ld.32,,%s", "in.csv:2: active is ''; write the lane mask as up to eight "
                              "hexadecimal digits, like ffffffff");
    expect_error("ld.32,0,%s", "in.csv:2: no lane takes part in this ld.32; set its lanes in "
                               "active, or remove the row");
    expect_error("ldmatrix.x1,ffffff00,%s", "in.csv:2: no lane takes part in this ldmatrix.x1; "
                                            "set its lanes in active, or remove the row");
    expect_error("ld.64,3,%s", "in.csv:2: a1 is 4, no multiple of 8; ld.64 needs addresses "
                               "aligned to its 8 bytes");
    expect_error("ld.32,1,%s,9", "in.csv:2: 35 cells where the header row has 34; remove the "
                                 "surplus commas");
    expect_error("ld.32,1,0,4,8", "in.csv:2: 5 cells where the header row has 34; the row is cut "
                                  "short: complete or remove it");
}
END_TEST

static void expect_bad_first(const char *address, const char *expected)
{
    char *rest = joined("%s%s", address, strchr(linear, ','));
    expect_error_of(joined("op,active,%s\nld.32,1,%s\n", names, rest),
                    strlen("op,active,\nld.32,1,\n") + strlen(names) + strlen(rest), expected);
    free(rest);
}

START_TEST(test_bad_addresses)
{
    expect_bad_first("-4", "in.csv:2: a0 is '-4'; write lane 0's byte address as a number from 0 "
                           "to 4294967295");
    expect_bad_first("4294967296", "in.csv:2: a0 is '4294967296'; write lane 0's byte address as "
                                   "a number from 0 to 4294967295");
    expect_bad_first("99999999999999999999999999",
                     "in.csv:2: a0 is '99999999999999999999999999'; write lane 0's byte address "
                     "as a number from 0 to 4294967295");
    expect_bad_first("", "in.csv:2: a0 is ''; write lane 0's byte address as a number from 0 to "
                         "4294967295");
    expect_bad_first("1.5", "in.csv:2: a0 is '1.5'; write lane 0's byte address as a number from "
                            "0 to 4294967295");
    expect_bad_first("\033[2Jaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     "in.csv:2: a0 is '?[2Jaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'; write lane "
                     "0's byte address as a number from 0 to 4294967295");
}
END_TEST

START_TEST(test_bad_headers)
{
    char none[] = "";
    bw_stream_row row;
    char *error;
    ck_assert_int_eq(read_all(none, 0, &row, &error), -1);
    ck_assert_str_eq(error, "in.csv:1: no header row before the end; a request stream begins with "
                            "op,active,a0,…,a31");
    free(error);
    char *text = strdup("# only\n# comments\n");
    expect_error_of(text, strlen(text),
                    "in.csv:2: no header row before the end; a request stream begins with "
                    "op,active,a0,…,a31");
    text = strdup("op,active,a0\n");
    expect_error_of(text, strlen(text),
                    "in.csv:1: the header row has no column a1; it must name "
                    "op, active and a0 to a31");
    text = joined("op,active,a0,%s%s\n", names, "");
    expect_error_of(text, strlen(text), "in.csv:1: two columns are called a0; rename one");
    char more[8 * BW_STREAM_MAX_COLUMNS] = "";
    for (unsigned i = 34; i <= BW_STREAM_MAX_COLUMNS; i++)
        sprintf(more + strlen(more), ",x%u", i);
    text = joined("op,active,%s%s\n", names, more);
    expect_error_of(text, strlen(text), "in.csv:1: 129 columns, 128 are the most; leave out some");
}
END_TEST

START_TEST(test_other_separators)
{
    static const char *const heads[] = {"op;active;a0;a1\nld.32;ffffffff;0;4\n",
                                        "op\tactive\ta0\ta1\nld.32\tffffffff\t0\t4\n"};
    static const char *const names_of[] = {"semicolons", "tabs"};
    for (int i = 0; i < 2; i++) {
        char *text = joined("%s%s", heads[i], "");
        char *expected = joined("in.csv:1: cells are separated by commas, not by %s: export the "
                                "table again%s",
                                names_of[i], "");
        expect_error_of(text, strlen(text), expected);
        free(expected);
    }
}
END_TEST

START_TEST(test_no_text_at_all)
{
    static const char binary[] = "\177ELF\2\1\1\0\0\0\0\n";
    char *text = malloc(sizeof binary);
    ck_assert_ptr_nonnull(text);
    memcpy(text, binary, sizeof binary);
    expect_error_of(text, sizeof binary - 1,
                    "in.csv:1: the line has a NUL byte; this is no text file, name a request "
                    "stream in CSV");
    size_t long_line = (size_t)3 << 20;
    text = malloc(long_line);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', long_line);
    expect_error_of(text, long_line,
                    "in.csv:1: the line is longer than 1048576 bytes; is this a request stream?");
    FILE *folder = fopen("/", "rb");
    bw_stream_reader *reader = bw_stream_open(folder, "/");
    bw_stream_row row;
    ck_assert_int_eq(bw_stream_next(reader, &row), -1);
    ck_assert_str_eq(bw_stream_error(reader),
                     "/:1: cannot read: Is a directory; check the file and the disk");
    bw_stream_close(reader);
    fclose(folder);
}
END_TEST

/* Every prefix of a good stream reads to its end or to an error, without a crash. */
START_TEST(test_every_truncation)
{
    char *body = joined("# k: v\nop,active,%s\nst.64,1,0%s\n", names,
                        ",4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,"
                        "100,104,108,112,116,120,124");
    for (size_t len = 0; len <= strlen(body); len++) {
        bw_stream_row row;
        char *error;
        int got = read_all(body, len, &row, &error);
        ck_assert(got == -1 ? error[0] != '\0' : got <= 1);
        free(error);
    }
    free(body);
}
END_TEST

/* A good stream with some bytes changed: rows or an error with its place, never a crash. */
START_TEST(test_garbage)
{
    uint32_t state = 1;
    char *body =
        joined("ld.64,ff,%s\nst.32,ffffffff,%s\n", ",,,,,,,,0,8,,,,,,,,,,,,,,,,,,,,,,,", linear);
    char *text = joined("# device: x\nop,active,%s\n%s", names, body);
    size_t len = strlen(text);
    char *changed = malloc(len);
    ck_assert_ptr_nonnull(changed);
    for (int run = 0; run < 20000; run++) {
        bw_stream_row row;
        char *error;
        memcpy(changed, text, len);
        for (int i = 0; i <= run % 4; i++) {
            state = state * 1664525 + 1013904223; /* Numerical Recipes' generator */
            changed[(state >> 8) % len] =
                run % 3 ? "0,\n\"#-x\t"[state >> 29] : (char)(state >> 24);
        }
        int got = read_all(changed, len, &row, &error);
        if (got > 2 || (got == -1) != (strncmp(error, "in.csv:", 7) == 0))
            ck_abort_msg("%d rows, error '%s'", got, error);
        free(error);
    }
    free(changed);
    free(text);
    free(body);
}
END_TEST

START_TEST(test_written_is_read)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    bw_request request = {.op = BW_OP_CP_ASYNC_16, .active = 0x80000001};
    for (uint32_t i = 0; i < 32; i++)
        request.addr[i] = i * 134217728u;
    bw_stream_write_header(out, ",cycles");
    bw_stream_write_request(out, &request);
    fputs(",4.0\n", out);
    fclose(out);
    bw_stream_row row;
    char *copy = strdup(text);
    expect_rows(copy, 1, &row);
    ck_assert_mem_eq(&row.request, &request, sizeof request);
    ck_assert_ptr_nonnull(strstr(text, "\ncp.async.16,80000001,0,134217728,"));
    free(text);
}
END_TEST

/* A line that straddles the reader's buffer arrives whole. */
START_TEST(test_many_rows)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    bw_stream_write_header(out, "");
    for (uint32_t n = 0; n < 20000; n++) {
        bw_request request = {.op = (bw_op)(n % BW_OP_COUNT), .active = UINT32_MAX};
        for (uint32_t i = 0; i < 32; i++)
            request.addr[i] = 16 * (n * 32 + i);
        bw_stream_write_request(out, &request);
        fputc('\n', out);
    }
    fclose(out);
    FILE *file = open_text(text, len);
    bw_stream_reader *reader = bw_stream_open(file, "in.csv");
    bw_stream_row row;
    for (uint32_t n = 0; n < 20000; n++)
        if (bw_stream_next(reader, &row) != 1 || row.request.addr[31] != 16 * (n * 32 + 31) ||
            row.request.op != (bw_op)(n % BW_OP_COUNT))
            ck_abort_msg("row %u is wrong: %s", n, bw_stream_error(reader));
    ck_assert_int_eq(bw_stream_next(reader, &row), 0);
    bw_stream_close(reader);
    fclose(file);
    free(text);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("stream");
    tcase_add_test(tc, test_plain);
    tcase_add_test(tc, test_forgiving);
    tcase_add_test(tc, test_columns_in_any_order);
    tcase_add_test(tc, test_quotes);
    tcase_add_test(tc, test_other_separators);
    tcase_add_test(tc, test_meta);
    tcase_add_test(tc, test_inactive_lanes_may_be_empty);
    tcase_add_test(tc, test_bad_rows);
    tcase_add_test(tc, test_bad_addresses);
    tcase_add_test(tc, test_bad_headers);
    tcase_add_test(tc, test_no_text_at_all);
    tcase_add_test(tc, test_every_truncation);
    tcase_add_test(tc, test_garbage);
    tcase_add_test(tc, test_written_is_read);
    tcase_add_test(tc, test_many_rows);
    return tap_run(tc);
}
