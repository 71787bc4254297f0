/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_file: files that a pattern names, which its reader may never have seen.
 *
 * A pattern is a stranger's text: what it names is read only where it lies in the pattern's folder
 * or below, links resolved, and is a regular file. Nothing else is opened, so nothing blocks and no
 * device is touched. Nothing is owned. Thread-safe.
 */
#ifndef BANKWISE_TABLE_FILE_H
#define BANKWISE_TABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The bytes of `name` as seen from `folder`, at most `limit`; malloc'd, a zero byte after them.
 * `anywhere`: a regular file outside the folder is read, too. NULL with *error set to a text that
 * stays.
 */
char *bw_table_file_read(const char *folder, const char *name, bool anywhere, size_t limit,
                         size_t *len, const char **error);

#endif
