/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shared memory of a block: what was written comes back, and why it is not known.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>

#include "image.h"
#include "tap.h"

START_TEST(test_states)
{
    bw_image image;
    uint64_t bits;
    uint32_t origin = 1;
    bw_image_create(&image, 64);
    bw_image_reset(&image);
    ck_assert(!bw_image_read(&image, 0, 4, &bits, &origin));
    ck_assert_uint_eq(origin, BW_NEVER_WRITTEN);
    bw_image_write(&image, 0, 4, 0x11223344, true, 0);
    ck_assert(bw_image_read(&image, 0, 4, &bits, &origin));
    ck_assert_uint_eq(bits, 0x11223344);
    ck_assert(bw_image_read(&image, 1, 2, &bits, &origin)); /* little-endian */
    ck_assert_uint_eq(bits, 0x2233);
    bw_image_write(&image, 2, 1, 0, false, 7); /* one byte of the word */
    ck_assert(bw_image_read(&image, 0, 2, &bits, &origin));
    ck_assert(!bw_image_read(&image, 0, 4, &bits, &origin));
    ck_assert_uint_eq(origin, 7);
    bw_image_finish(&image);
}
END_TEST

START_TEST(test_origin_of_the_second_word)
{
    bw_image image;
    uint64_t bits;
    uint32_t origin = 0;
    bw_image_create(&image, 16);
    bw_image_reset(&image);
    bw_image_write(&image, 0, 4, 1, true, 0);
    bw_image_write(&image, 4, 4, 2, false, 9);
    ck_assert(!bw_image_read(&image, 0, 8, &bits, &origin));
    ck_assert_uint_eq(origin, 9);
    bw_image_reset(&image);
    ck_assert(!bw_image_read(&image, 0, 8, &bits, &origin));
    ck_assert_uint_eq(origin, BW_NEVER_WRITTEN);
    bw_image_finish(&image);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("image");
    tcase_add_test(tc, test_states);
    tcase_add_test(tc, test_origin_of_the_second_word);
    return tap_run(tc);
}
