/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "include.h"

#include <stdlib.h>
#include <string.h>

static const char *read_as(bw_arena *arena, const bw_host *host, const char *path, size_t *len)
{
    const char *error = NULL;
    char *text = host->read_file(host->context, path, len, &error);
    const char *kept = text ? bw_arena_copy(arena, text, *len) : NULL;
    if (text && memchr(text, '\0', *len)) /* no text */
        kept = NULL;
    free(text);
    return kept;
}

const char *bw_header_text(bw_arena *arena, const bw_host *host, const char *from,
                           const bw_token *name, const char **path, size_t *len)
{
    if (!host || !host->read_file || name->len < 3)
        return NULL;
    int bare = (int)name->len - 2; /* without its quotes */
    *path = bw_arena_format(arena, "%s%.*s", from, bare, name->text + 1);
    const char *text = read_as(arena, host, *path, len);
    if (!text && *from) {
        *path = bw_arena_copy(arena, name->text + 1, (size_t)bare);
        text = read_as(arena, host, *path, len);
    }
    return text;
}

const char *bw_folder_of(bw_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? bw_arena_copy(arena, path, (size_t)(slash + 1 - path)) : "";
}

bool bw_is_known_header(const bw_token *name)
{
    static const char *const known[] = {
        "cuda",     "cooperative_groups", "device_launch", "mma.h",  "vector_",  "stdio.h",
        "stdlib.h", "stdint.h",           "string.h",      "math.h", "assert.h", "curand",
        "cublas",   "nvToolsExt",         "hip/"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t len = strlen(known[i]);
        if (name->len > len && memcmp(name->text + 1, known[i], len) == 0)
            return true;
    }
    return false;
}

void bw_note_missed(bw_tokens *tokens, const bw_token *name, bw_span span)
{
    if (!tokens->missed_count++) {
        tokens->missed = *name;
        tokens->missed.span = span;
    }
}

void bw_note_condition(bw_tokens *tokens, const bw_token *name, bw_span span)
{
    bool own = name->len && name->text[0] == '_'; /* a compiler's, not a project's */
    if (!tokens->missed_count || own || tokens->hanging_count == BW_MOST_HANGING)
        return;
    for (size_t i = 0; i < tokens->hanging_count; i++)
        if (tokens->hanging[i].span.offset == span.offset)
            return;
    tokens->hanging[tokens->hanging_count] = *name;
    tokens->hanging[tokens->hanging_count++].span = span;
}
