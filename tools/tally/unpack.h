/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unpack: a file as it would be unpacked.
 *
 * Owns the descriptor, and the program that unpacks (gzip, xz or zstd of the PATH), which its first
 * bytes ask for. It knows nothing of what is inside. One thread at a time.
 */
#ifndef BANKWISE_UNPACK_H
#define BANKWISE_UNPACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "message.h"

typedef struct bw_unpack bw_unpack;

/* "-" is standard input. Never NULL; an error is told by bw_unpack_error. */
bw_unpack *bw_unpack_open(const char *path);
void bw_unpack_close(bw_unpack *file); /* accepts NULL */

/* The first bytes, as many as there are, up to BW_UNPACK_PEEK. */
#define BW_UNPACK_PEEK 65536u
const char *bw_unpack_peek(bw_unpack *file, size_t *len);
/* What is inside, from its beginning; to be closed by bw_unpack_close. NULL after an error. */
FILE *bw_unpack_file(bw_unpack *file);
/* To be asked at the end of the file: waits for the program. False where it failed, so that the end
 * is none. */
bool bw_unpack_ended(bw_unpack *file);
/* What is wrong, without the file's name, what to do (or NULL), and its id; NULL: nothing. */
const char *bw_unpack_error(const bw_unpack *file);
const char *bw_unpack_note(const bw_unpack *file);
bw_message_id bw_unpack_error_id(const bw_unpack *file);

/* Bytes of the file as it lies there: all, and those read so far; 0 where it is no regular file. */
uint64_t bw_unpack_size(const bw_unpack *file);
uint64_t bw_unpack_position(const bw_unpack *file);

#endif
