/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inside: files that an input names, which may be anybody's: regular files under given folders.
 *
 * A pattern file is data. What it names is read only where whoever runs the program put it beside
 * the file or named its folder; links that lead out of there are not followed. It owns nothing, and
 * is safe from any thread but for strerror.
 */
#ifndef BANKWISE_INSIDE_H
#define BANKWISE_INSIDE_H

#include <stddef.h>

/* The bytes of `path`, malloc'd, and a zero byte after them. NULL where it is no regular file under
 * one of folders[count], or larger than `limit` bytes; then *why says so, in words that need not be
 * freed. */
char *bw_file_read_inside(const char *path, const char *const *folders, size_t count, size_t limit,
                          size_t *len, const char **why);

#endif
