/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * include: a file's own headers, and what was missed of them.
 *
 * Owns the search beside a file, and the list of what was not found with the conditions that may
 * hang on it. It reads through the host, which opens only what lies in the file's folder. All
 * memory is the arena's. Internal to lex.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_INCLUDE_H
#define BANKWISE_INCLUDE_H

#include "lex.h"

/* Headers within headers; and all of one file. */
#define BW_MAX_INCLUDES 32
#define BW_MAX_HEADERS 512

/* The header that the string `name` means, in a file of the folder `from` ("" or with a slash at
 * its end): its text, and in *path what it is called; NULL: it is not there. */
const char *bw_header_text(bw_arena *arena, const bw_host *host, const char *from,
                           const bw_token *name, const char **path, size_t *len);
/* "src/" of "src/x.h"; "" of "x.h". */
const char *bw_folder_of(bw_arena *arena, const char *path);
/* A header of CUDA's or of C's, by its name: what it declares is known without it. */
bool bw_is_known_header(const bw_token *name);

/* Notes that a header was not found; later, that a condition asks for a name that nothing
 * defines. */
void bw_note_missed(bw_tokens *tokens, const bw_token *name, bw_span span);
void bw_note_condition(bw_tokens *tokens, const bw_token *name, bw_span span);

#endif
