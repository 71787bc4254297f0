/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spelling: how far one name is from another, for "did you mean". A pure function.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_SPELLING_H
#define BANKWISE_SPELLING_H

#include <stddef.h>

/* Longer names are not compared: they are BW_FAR from each other. */
#define BW_MAX_COMPARED 64
#define BW_FAR ((size_t)99)

/* Letters to insert, delete or replace that make a[0..m) into b[0..n). */
size_t bw_edit_distance(const char *a, size_t m, const char *b, size_t n);

#endif
