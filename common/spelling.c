/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "spelling.h"

size_t bw_edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t row[BW_MAX_COMPARED + 1];
    if (m > BW_MAX_COMPARED || n > BW_MAX_COMPARED)
        return BW_FAR;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[n];
}
