/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Binary request streams: that writing and reading agree, and that no damage goes unnoticed.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "stream.h"
#include "tap.h"

#define SMALL 3u   /* records of the file that is damaged everywhere */
#define MANY 5000u /* several blocks, more than a buffer */

static bw_request sample(uint32_t n)
{
    bw_random random = {n};
    bw_request request = {.op = (bw_op)(n % BW_OP_COUNT), .active = UINT32_MAX};
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        request.addr[lane] = bw_random_below(&random, 16384) * 16;
    if (n % 3 == 0)
        request.active = bw_random_draw(&random) | 1;
    return request;
}

static char *written(uint32_t count, bool whole, size_t *len)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, len);
    ck_assert_ptr_nonnull(out);
    bw_bwr_writer *writer = bw_bwr_create(out, "# device: none\n# a comment\n", "line copies");
    for (uint32_t n = 0; n < count; n++) {
        bw_request request = sample(n);
        const uint64_t numbers[] = {n + 7, UINT64_MAX - n};
        bw_bwr_write(writer, &request, numbers);
    }
    bw_bwr_finish(writer, whole);
    ck_assert_int_eq(fclose(out), 0);
    return bytes;
}

/* Reads all, row by row or many at once; how many rows were right before the end or an error. */
static uint32_t read_back(char *bytes, size_t len, bool many, char *error, size_t room)
{
    enum { BATCH = 700 };
    static bw_request requests[BATCH];
    static uint64_t numbers[BATCH], lines[BATCH];
    FILE *in = fmemopen(bytes, len, "rb");
    ck_assert_ptr_nonnull(in);
    bw_stream_reader *reader = bw_stream_open(in, "x.bwr");
    uint32_t n = 0;
    const uint64_t empty = 0;
    int got = bw_stream_begin(reader) ? 1 : -1;
    unsigned column = got > 0 ? (unsigned)bw_stream_column(reader, "copies") : 0;
    while (got > 0) {
        bw_stream_row row;
        bw_stream_batch batch = {requests, BATCH, 0, &column, 1, &empty, numbers, lines, NULL};
        got = many ? bw_stream_read(reader, &batch) : bw_stream_next(reader, &row);
        if (got > 0 && !many) {
            requests[0] = row.request;
            numbers[0] = strtoull(row.fields[column], NULL, 10);
            lines[0] = row.line;
            batch.count = 1;
            ck_assert_str_eq(row.fields[0], bw_op_get(row.request.op)->name);
        }
        for (size_t i = 0; got > 0 && i < batch.count; i++, n++) {
            bw_request expected = sample(n);
            ck_assert_mem_eq(&requests[i], &expected, sizeof expected);
            ck_assert_uint_eq(numbers[i], UINT64_MAX - n);
            ck_assert_uint_eq(lines[i], n + 1);
        }
    }
    snprintf(error, room, "%s", bw_stream_error(reader));
    ck_assert_int_eq(got < 0, *error != '\0');
    bw_stream_close(reader);
    fclose(in);
    return n;
}

START_TEST(test_written_is_read)
{
    size_t len;
    char *bytes = written(MANY, true, &len), error[300];
    ck_assert(bw_stream_is_binary(bytes, len));
    for (int many = 0; many < 2; many++) {
        ck_assert_uint_eq(read_back(bytes, len, many, error, sizeof error), MANY);
        ck_assert_str_eq(error, "");
    }
    free(bytes);
}
END_TEST

START_TEST(test_comments_are_kept)
{
    size_t len;
    char *bytes = written(0, true, &len);
    FILE *in = fmemopen(bytes, len, "rb");
    bw_stream_reader *reader = bw_stream_open(in, "x.bwr");
    bw_stream_row row;
    ck_assert_int_eq(bw_stream_next(reader, &row), 0);
    ck_assert_str_eq(bw_stream_meta(reader, "device"), "none");
    ck_assert_str_eq(bw_stream_column_name(reader, 34), "line");
    ck_assert_ptr_null(bw_stream_column_name(reader, 36));
    bw_stream_close(reader);
    fclose(in);
    free(bytes);
}
END_TEST

/* Whichever byte is changed, and however: an error, at an offset, and no wrong row before it. */
START_TEST(test_every_byte_damaged)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff, 0x20};
    size_t len;
    char *bytes = written(SMALL, true, &len), *copy = malloc(len), error[300];
    ck_assert_ptr_nonnull(copy);
    for (size_t at = 0; at < len; at++)
        for (size_t k = 0; k < sizeof changes; k++) {
            const char *place = at < BW_STREAM_MAGIC_BYTES ? "x.bwr:1: " : "x.bwr: byte ";
            memcpy(copy, bytes, len);
            copy[at] = (char)(copy[at] ^ changes[k]);
            uint32_t rows = read_back(copy, len, at % 2, error, sizeof error);
            if (strncmp(error, place, strlen(place)) != 0 || (rows != 0 && rows != SMALL))
                ck_abort_msg("byte %zu: %u rows, '%s'", at, rows, error);
        }
    free(copy);
    free(bytes);
}
END_TEST

/* Of a file that is cut, what is whole is read, and the rest missed. */
START_TEST(test_every_cut)
{
    size_t len;
    char *bytes = written(SMALL, true, &len), error[300], place[40];
    for (size_t cut = BW_STREAM_MAGIC_BYTES; cut < len; cut++) {
        char *copy = malloc(cut);
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, bytes, cut);
        uint32_t rows = read_back(copy, cut, cut % 2, error, sizeof error);
        ck_assert_uint_eq(rows, len - cut <= 32 ? SMALL : 0);
        snprintf(place, sizeof place, "x.bwr: byte %zu: ", cut);
        ck_assert_msg(strncmp(error, place, strlen(place)) == 0, "cut at %zu: '%s'", cut, error);
        free(copy);
    }
    free(bytes);
}
END_TEST

START_TEST(test_blocks_before_damage_stay)
{
    size_t len;
    char *bytes = written(MANY, true, &len), error[300];
    bytes[len / 2] ^= 4;
    uint32_t rows = read_back(bytes, len, true, error, sizeof error);
    ck_assert_uint_ge(rows, 1024);
    ck_assert_uint_eq(rows % 1024, 0);
    ck_assert_ptr_nonnull(strstr(error, "damaged"));
    free(bytes);
}
END_TEST

/* Blocks in another order are whole each, and yet not the file. */
START_TEST(test_lost_block)
{
    size_t len, block = 32 + 1024 * (136 + 16);
    char *bytes = written(3 * 1024, true, &len), error[300];
    size_t head = len - 32 - 3 * block;
    memmove(bytes + head + block, bytes + head + 2 * block, len - head - 2 * block);
    ck_assert_uint_eq(read_back(bytes, len - block, true, error, sizeof error), 1024);
    ck_assert_ptr_nonnull(strstr(error, "damaged"));
    free(bytes);
}
END_TEST

START_TEST(test_end)
{
    size_t len;
    char *bytes = written(SMALL, false, &len), error[300];
    ck_assert_uint_eq(read_back(bytes, len, true, error, sizeof error), SMALL);
    ck_assert_ptr_nonnull(strstr(error, "its end is missing"));
    free(bytes);
    bytes = written(SMALL, true, &len);
    char *longer = malloc(len + 1);
    memcpy(longer, bytes, len);
    longer[len] = 'x';
    ck_assert_uint_eq(read_back(longer, len + 1, true, error, sizeof error), SMALL);
    ck_assert_ptr_nonnull(strstr(error, "bytes follow the end"));
    free(longer);
    free(bytes);
}
END_TEST

START_TEST(test_other_version)
{
    size_t len;
    char *bytes = written(SMALL, true, &len), error[300];
    bytes[8] = 2;
    ck_assert_uint_eq(read_back(bytes, len, true, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "byte 8: this is version 2 of .bwr, version 1 is read"));
    free(bytes);
}
END_TEST

/* A file whose sums are right and whose requests cannot be. */
START_TEST(test_impossible_requests)
{
    static const char *const expected[] = {"no lane takes part", "no multiple of 4"};
    for (int kind = 0; kind < 2; kind++) {
        char *bytes = NULL, error[300];
        size_t len;
        FILE *out = open_memstream(&bytes, &len);
        bw_bwr_writer *writer = bw_bwr_create(out, "", "copies");
        bw_request request = sample(BW_OP_LD_32);
        const uint64_t numbers[] = {UINT64_MAX};
        request.active = kind ? 2 : 0;
        request.addr[1] = kind ? 6 : 0;
        bw_bwr_write(writer, &request, numbers);
        bw_bwr_finish(writer, true);
        fclose(out);
        ck_assert_uint_eq(read_back(bytes, len, kind, error, sizeof error), 0);
        ck_assert_msg(strstr(error, expected[kind]) != NULL, "%s", error);
        free(bytes);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("bwr");
    tcase_add_test(tc, test_written_is_read);
    tcase_add_test(tc, test_comments_are_kept);
    tcase_add_test(tc, test_every_byte_damaged);
    tcase_add_test(tc, test_every_cut);
    tcase_add_test(tc, test_blocks_before_damage_stay);
    tcase_add_test(tc, test_lost_block);
    tcase_add_test(tc, test_end);
    tcase_add_test(tc, test_other_version);
    tcase_add_test(tc, test_impossible_requests);
    return tap_run(tc);
}
