/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json: reads JSON (RFC 8259) into a tree.
 *
 * For what other programs write beside their files: compile_commands.json, the facts of Triton's
 * cache. It knows none of them. Trees and texts are in the arena; texts are UTF-8 and end with a
 * zero byte; a text that would have one inside is refused. Nested at most BW_JSON_DEPTH deep. Pure;
 * any thread.
 */
#ifndef BANKWISE_JSON_H
#define BANKWISE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

#define BW_JSON_DEPTH 64

typedef enum bw_json_kind {
    BW_JSON_NULL,
    BW_JSON_TRUE,
    BW_JSON_FALSE,
    BW_JSON_NUMBER,
    BW_JSON_TEXT,
    BW_JSON_ARRAY,
    BW_JSON_OBJECT,
} bw_json_kind;

typedef struct bw_json {
    bw_json_kind kind;
    const char *name;            /* of a member of an object; else NULL */
    const char *text;            /* of a text */
    double number;               /* of a number */
    const struct bw_json *first; /* of an array or object, in its order; NULL: none */
    const struct bw_json *next;  /* after this one in its array or object */
} bw_json;

/* NULL where it is no JSON; *at is then the byte that cannot stand there. */
const bw_json *bw_json_read(bw_arena *arena, const char *text, size_t len, size_t *at);

/* The first member of that name; NULL where there is none, or `object` is none or NULL. */
const bw_json *bw_json_member(const bw_json *object, const char *name);
/* The text of such a member; NULL where it is none. */
const char *bw_json_text(const bw_json *object, const char *name);

#endif
