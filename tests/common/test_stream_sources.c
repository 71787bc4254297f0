/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where copies read, in request streams: what is read, what is refused, and that what is written,
 * as text or binary, is read again.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "stream.h"
#include "tap.h"

/* A stream of one row: a copy by lanes 0 and 1. `sources` are the cells of s0 and s1, the others
 * are empty; `rest` those of zeros, held and placed. */
static char *one_row(const char *op, const char *sources, const char *rest)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    ck_assert_ptr_nonnull(out);
    bw_stream_write_header_with_sources(out, "");
    fprintf(out, "%s,3,0,16", op);
    for (unsigned lane = 2; lane < BW_LANES; lane++)
        putc(',', out);
    fprintf(out, ",%s", sources);
    for (unsigned lane = 2; lane < BW_LANES; lane++)
        putc(',', out);
    fprintf(out, ",%s\n", rest);
    fclose(out);
    return text;
}

/* Reads the row; its sources, or NULL. */
static const bw_sources *read_row(char *text, bw_sources *kept, char error[512])
{
    FILE *file = fmemopen(text, strlen(text), "r");
    bw_stream_reader *reader = bw_stream_open(file, "in.csv");
    bw_stream_row row;
    int got = bw_stream_next(reader, &row);
    const bool known = got == 1 && row.request.sources;
    if (known)
        *kept = *row.request.sources;
    snprintf(error, 512, "%s", bw_stream_error(reader));
    ck_assert_int_eq(got, *error ? -1 : 1);
    bw_stream_close(reader);
    fclose(file);
    free(text);
    return known ? kept : NULL;
}

static void expect_error(char *text, const char *expected)
{
    bw_sources sources;
    char error[512];
    ck_assert_ptr_null(read_row(text, &sources, error));
    ck_assert_str_eq(error, expected);
}

START_TEST(sources_are_read)
{
    bw_sources kept;
    char error[512];
    const bw_sources *s =
        read_row(one_row("cp.async.16", "4096,1099511627776", ",2,0"), &kept, error);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(s->addr[0], 4096);
    ck_assert_uint_eq(s->addr[1], UINT64_C(1) << 40);
    ck_assert_uint_eq(s->bytes[0], 16);
    ck_assert_uint_eq(s->cached, 2);
    ck_assert(!s->placed);
}
END_TEST

START_TEST(lanes_that_write_zeros_need_no_source)
{
    bw_sources kept;
    char error[512];
    const bw_sources *s = read_row(one_row("cp.async.4", ",64", "1,,"), &kept, error);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(s->bytes[0], 0);
    ck_assert_uint_eq(s->bytes[1], 4);
    ck_assert_uint_eq(s->addr[1], 64);
    ck_assert(s->placed);
    ck_assert_uint_eq(s->cached, 0);
}
END_TEST

START_TEST(no_source_is_none)
{
    bw_sources kept;
    char error[512];
    ck_assert_ptr_null(read_row(one_row("cp.async.4", ",", ",,"), &kept, error));
    ck_assert_str_eq(error, "");
    ck_assert_ptr_null(read_row(one_row("ld.32", "4,8", ",,"), &kept, error));
    ck_assert_str_eq(error, "");
}
END_TEST

START_TEST(bad_sources)
{
    expect_error(one_row("cp.async.4", "64,", ",,"),
                 "in.csv:2: s1 is empty and others are not: give the source of every lane that "
                 "reads, or of none");
    expect_error(one_row("cp.async.16", "0,8", ",,"),
                 "in.csv:2: s1 is no multiple of the bytes that the operation copies: sources are "
                 "aligned as destinations are");
    expect_error(one_row("cp.async.4", "0,-4", ",,"),
                 "in.csv:2: s1 is no number; write the byte address in global memory that the lane "
                 "copies from, or leave it empty where it is not known");
    expect_error(one_row("cp.async.4", "0,4", "x,,"),
                 "in.csv:2: zeros is no lane mask; write up to eight hexadecimal digits, like "
                 "0000ffff, or leave it empty");
    expect_error(one_row("cp.async.4", "0,4", ",100000000,"),
                 "in.csv:2: held is no lane mask; write up to eight hexadecimal digits, like "
                 "0000ffff, or leave it empty");
    expect_error(one_row("cp.async.4", "0,4", ",,2"),
                 "in.csv:2: placed is neither 0 nor 1; write 1 where sources are addresses of the "
                 "card, 0 where they count from the start of arrays");
}
END_TEST

START_TEST(a_missing_column)
{
    char *text = one_row("cp.async.4", "0,4", ",,");
    memcpy(strstr(text, ",s17,"), ",x17,", 5);
    expect_error(text,
                 "in.csv:1: the columns of sources are s0 to s31, and s17 is missing; add it, "
                 "or leave all out");
}
END_TEST

/* ---- what is written is read ---- */

enum { ROWS = 3000 };

/* Row `n`: a load, a copy without sources or one with. */
static bw_request sample(uint32_t n, bw_sources *sources)
{
    static const bw_op ops[] = {BW_OP_LD_32, BW_OP_CP_ASYNC_4, BW_OP_CP_ASYNC_8,
                                BW_OP_CP_ASYNC_16_CA, BW_OP_CP_ASYNC_16};
    bw_random random = {bw_random_mix(n)};
    bw_request r = {.op = ops[n % 5], .active = bw_random_draw(&random) | 1};
    const unsigned bytes = bw_op_get(r.op)->bytes;
    uint32_t zeros = bw_random_draw(&random) & r.active;
    zeros &= bw_random_draw(&random);
    *sources = (bw_sources){.placed = n & 8, .cached = bw_random_draw(&random) & r.active};
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        r.addr[lane] = bw_random_below(&random, 1024) * bytes;
        if ((r.active & ~zeros) >> lane & 1) {
            sources->addr[lane] = ((uint64_t)bw_random_draw(&random) << 16) * bytes;
            sources->bytes[lane] = (uint8_t)bytes;
        }
    }
    if (n % 5 && n % 3)
        r.sources = sources;
    return r;
}

static void expect_row(uint32_t n, const bw_request *read)
{
    bw_sources sources;
    const bw_request wanted = sample(n, &sources);
    ck_assert_int_eq(read->op, wanted.op);
    ck_assert_uint_eq(read->active, wanted.active);
    ck_assert_mem_eq(read->addr, wanted.addr, sizeof wanted.addr);
    ck_assert_int_eq(read->sources != NULL, wanted.sources != NULL);
    if (!wanted.sources)
        return;
    ck_assert_mem_eq(read->sources->addr, sources.addr, sizeof sources.addr);
    ck_assert_mem_eq(read->sources->bytes, sources.bytes, sizeof sources.bytes);
    ck_assert_uint_eq(read->sources->cached, sources.cached);
    ck_assert_int_eq(read->sources->placed, sources.placed);
}

static char *written(bool binary, size_t *len)
{
    char *bytes = NULL, *names = NULL;
    size_t names_len;
    FILE *out = open_memstream(&bytes, len), *list = open_memstream(&names, &names_len);
    bw_sources sources;
    fputs("copies", list);
    bw_stream_write_source_names(list, ' ');
    fclose(list);
    bw_bwr_writer *writer = binary ? bw_bwr_create(out, "", names) : NULL;
    if (!binary)
        bw_stream_write_header_with_sources(out, ",copies");
    for (uint32_t n = 0; n < ROWS; n++) {
        const bw_request r = sample(n, &sources);
        uint64_t numbers[1 + BW_SOURCE_COLUMNS] = {n + 1};
        if (binary) {
            bw_stream_source_numbers(&r, numbers + 1);
            bw_bwr_write(writer, &r, numbers);
        } else {
            bw_stream_write_request(out, &r);
            fprintf(out, ",%u", n + 1);
            bw_stream_write_sources(out, &r);
            putc('\n', out);
        }
    }
    bw_bwr_finish(writer, true);
    fclose(out);
    free(names);
    return bytes;
}

/* Reads all rows one by one, or many at once. */
static void read_back(char *bytes, size_t len, bool many)
{
    enum { BATCH = 700 };
    static bw_request requests[BATCH];
    static bw_sources sources[BATCH];
    static uint64_t numbers[BATCH];
    FILE *in = fmemopen(bytes, len, "rb");
    bw_stream_reader *reader = bw_stream_open(in, "x");
    ck_assert(bw_stream_begin(reader));
    const unsigned column = (unsigned)bw_stream_column(reader, "copies");
    const uint64_t empty = 0;
    uint32_t n = 0;
    for (int got = 1; got == 1;) {
        bw_stream_row row;
        bw_stream_batch batch = {.requests = requests,
                                 .most = BATCH,
                                 .columns = &column,
                                 .column_count = 1,
                                 .empty = &empty,
                                 .numbers = numbers,
                                 .sources = sources};
        got = many ? bw_stream_read(reader, &batch) : bw_stream_next(reader, &row);
        ck_assert_msg(got >= 0, "%s", bw_stream_error(reader));
        if (got == 1 && !many)
            expect_row(n++, &row.request);
        for (size_t i = 0; got == 1 && many && i < batch.count; i++)
            expect_row(n++, &requests[i]);
    }
    ck_assert_uint_eq(n, ROWS);
    bw_stream_close(reader);
    fclose(in);
}

START_TEST(what_is_written_is_read)
{
    size_t len;
    char *bytes = written(_i & 1, &len);
    read_back(bytes, len, _i & 2);
    free(bytes);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("stream_sources");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, sources_are_read);
    tcase_add_test(tc, lanes_that_write_zeros_need_no_source);
    tcase_add_test(tc, no_source_is_none);
    tcase_add_test(tc, bad_sources);
    tcase_add_test(tc, a_missing_column);
    tcase_add_loop_test(tc, what_is_written_is_read, 0, 4);
    return tap_run(tc);
}
