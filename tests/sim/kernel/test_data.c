/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data: laws as written, and the bytes they give, which are the same on every machine.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "tap.h"

static void fill(const char *text, uint8_t *bytes, uint64_t size)
{
    bw_data_law law;
    const char *wrong = bw_data_read(&law, text);
    ck_assert_msg(!wrong, "%s: %s", text, wrong);
    bw_data_fill(&law, 1, 0, bytes, size);
}

START_TEST(test_plain)
{
    uint8_t bytes[16];
    uint32_t words[4];
    double reals[2];
    memset(bytes, 9, sizeof bytes);
    fill("zero", bytes, 16);
    for (int i = 0; i < 16; i++)
        ck_assert_uint_eq(bytes[i], 0);
    fill("iota", (uint8_t *)words, sizeof words);
    ck_assert_uint_eq(words[3], 3);
    fill("iota:u8", bytes, 16);
    ck_assert_uint_eq(bytes[15], 15);
    fill("iota:f64", (uint8_t *)reals, sizeof reals);
    ck_assert(reals[1] == 1.0);
}
END_TEST

/* Within the range, both ends met, the same prefix whatever the size. */
START_TEST(test_random)
{
    enum { COUNT = 4096 };
    int8_t bytes[COUNT], again[16];
    int low = 127, high = -128;
    fill("random:i8:-3..4", (uint8_t *)bytes, COUNT);
    fill("random:i8:-3..4", (uint8_t *)again, sizeof again);
    ck_assert_mem_eq(bytes, again, sizeof again);
    for (int i = 0; i < COUNT; i++) {
        low = bytes[i] < low ? bytes[i] : low;
        high = bytes[i] > high ? bytes[i] : high;
    }
    ck_assert_int_eq(low, -3);
    ck_assert_int_eq(high, 4);
    float reals[COUNT];
    double sum = 0;
    fill("random:f32:-1..3", (uint8_t *)reals, sizeof reals);
    for (int i = 0; i < COUNT; i++) {
        ck_assert(reals[i] >= -1 && reals[i] <= 3);
        sum += (double)reals[i];
    }
    ck_assert(sum / COUNT > 0.9 && sum / COUNT < 1.1);
}
END_TEST

/* The numbers themselves: another machine and another version give these. */
START_TEST(test_same_everywhere)
{
    static const uint8_t expected[] = {0xce, 0xa8, 0x89, 0x58, 0xbf, 0x71, 0xca, 0x88};
    uint8_t bytes[8], other[8];
    bw_data_law law;
    fill("random:u8:0..255", bytes, 8);
    ck_assert_mem_eq(bytes, expected, 8);
    ck_assert_ptr_null(bw_data_read(&law, "random:u8:0..255"));
    bw_data_fill(&law, 1, 1, other, 8);
    ck_assert_mem_ne(bytes, other, 8);
    bw_data_fill(&law, 2, 0, other, 8);
    ck_assert_mem_ne(bytes, other, 8);
}
END_TEST

/* glibc's rand() after srand(1) and srand(42), from its own runs. */
START_TEST(test_rand)
{
    static const uint32_t one[] = {1804289383, 846930886, 1681692777, 1714636915, 1957747793};
    static const uint32_t answer[] = {71876166, 708592740, 1483128881, 907283241, 442951012};
    uint32_t words[5], skipped[2];
    fill("rand:1", (uint8_t *)words, sizeof words);
    ck_assert_mem_eq(words, one, sizeof words);
    fill("rand:42", (uint8_t *)words, sizeof words);
    ck_assert_mem_eq(words, answer, sizeof words);
    fill("rand:42+3%1000", (uint8_t *)skipped, sizeof skipped);
    ck_assert_uint_eq(skipped[0], 241);
    ck_assert_uint_eq(skipped[1], 12);
}
END_TEST

START_TEST(test_file)
{
    bw_data_law law;
    ck_assert_ptr_null(bw_data_read(&law, "file:a/keys.bin"));
    ck_assert_int_eq(law.kind, BW_DATA_FILE);
    ck_assert_str_eq(law.path, "a/keys.bin");
}
END_TEST

START_TEST(test_refused)
{
    static const char *const texts[] = {"",
                                        "nope",
                                        "file:",
                                        "iota:",
                                        "iota:q",
                                        "random:",
                                        "random:u8:",
                                        "random:u8:0",
                                        "random:u8:0..256",
                                        "random:u8:-1..3",
                                        "random:i8:-129..0",
                                        "random:u8:5..4",
                                        "random:i8:4..-4",
                                        "random:f32:1..0",
                                        "random:u8:0..3x",
                                        "random:x:0..1",
                                        "rand:",
                                        "rand:-1",
                                        "rand:1%0",
                                        "rand:1%",
                                        "rand:1%256x",
                                        "rand:4294967296",
                                        "rand:1%4294967296"};
    bw_data_law law;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(bw_data_read(&law, texts[i]), "%s", texts[i]);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("data");
    tcase_add_test(tc, test_plain);
    tcase_add_test(tc, test_random);
    tcase_add_test(tc, test_same_everywhere);
    tcase_add_test(tc, test_rand);
    tcase_add_test(tc, test_file);
    tcase_add_test(tc, test_refused);
    return tap_run(tc);
}
