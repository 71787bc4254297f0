/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * document: the result of a command as a tree of values, and the printers that all results share.
 *
 * A command collects what it found once, as objects, arrays, numbers and texts. The tree is the
 * JSON document; a CSV file and a text table are rows of it, seen through a list of columns
 * (bw_field). So the three forms cannot disagree, and no command has a writer of its own. Sentences
 * and pictures are the commands' own.
 *
 * It knows nothing of costs and patterns, but what a request and a launch's shape look like.
 *
 * A node lives in the arena of its root, and so do the texts in it, which are copied. Running out
 * of memory ends the program (exit code 3): no key is ever left out. Not thread-safe.
 */
#ifndef BANKWISE_DOCUMENT_H
#define BANKWISE_DOCUMENT_H

#include <stdbool.h>
#include <stdio.h>

#include "arena.h"
#include "request.h"
#include "table.h"

typedef enum bw_node_kind {
    BW_NODE_NULL,
    BW_NODE_BOOL,
    BW_NODE_INTEGER,
    BW_NODE_REAL,
    BW_NODE_TEXT,
    BW_NODE_ARRAY,
    BW_NODE_OBJECT,
} bw_node_kind;

/* Read freely; written by the functions below. */
typedef struct bw_node bw_node;
struct bw_node {
    bw_node_kind kind;
    const char *name; /* of a member; NULL of an element or a root */
    bw_node *next;    /* in its parent */
    bw_arena *arena;  /* of an array or object: where its members go */
    union {
        bool truth;
        int64_t integer;
        double real;
        const char *text; /* any bytes; JSON shows U+FFFD for those that are no UTF-8 */
        struct {
            bw_node *first, *last;
            size_t count;
        };
    };
};

/* ---- collecting ---- */

/* An empty root, which takes memory from `arena`. */
bw_node *bw_node_object(bw_arena *arena);
bw_node *bw_node_array(bw_arena *arena);

/*
 * Each adds a member called `name` (which must outlive the document) to an object, or with NULL an
 * element to an array, after those that are there. A name that begins with a point is for texts
 * only: JSON does not show it.
 */
bw_node *bw_put_object(bw_node *parent, const char *name);
bw_node *bw_put_array(bw_node *parent, const char *name);
void bw_put_null(bw_node *parent, const char *name);
void bw_put_bool(bw_node *parent, const char *name, bool truth);
void bw_put_integer(bw_node *parent, const char *name, int64_t integer);
void bw_put_real(bw_node *parent, const char *name, double real);
void bw_put_text(bw_node *parent, const char *name, const char *text); /* NULL gives null */

/* Several members at once, by their C types: BW_PUT(node, BW_M("line", 3), BW_M("op", "ld.32")). */
typedef struct bw_member {
    bw_node_kind kind;
    const char *name;
    int64_t integer;
    double real;
    const char *text;
} bw_member;

static inline bw_member bw_member_bool(const char *name, bool truth)
{
    return (bw_member){.kind = BW_NODE_BOOL, .name = name, .integer = truth};
}

static inline bw_member bw_member_integer(const char *name, int64_t integer)
{
    return (bw_member){.kind = BW_NODE_INTEGER, .name = name, .integer = integer};
}

static inline bw_member bw_member_real(const char *name, double real)
{
    return (bw_member){.kind = BW_NODE_REAL, .name = name, .real = real};
}

static inline bw_member bw_member_text(const char *name, const char *text)
{
    return (bw_member){.kind = BW_NODE_TEXT, .name = name, .text = text};
}

#define BW_M(name, value)                                                                          \
    _Generic((value), bool                                                                         \
             : bw_member_bool, double                                                              \
             : bw_member_real, char *                                                              \
             : bw_member_text, const char *                                                        \
             : bw_member_text, default                                                             \
             : bw_member_integer)(name, value)
#define BW_PUT(node, ...)                                                                          \
    bw_put_members(node, (const bw_member[]){__VA_ARGS__},                                         \
                   sizeof((const bw_member[]){__VA_ARGS__}) / sizeof(bw_member))
void bw_put_members(bw_node *parent, const bw_member *members, size_t count);

/* A number that is whole as an integer, any other as a real. */
void bw_put_number(bw_node *parent, const char *name, double number);
/* The mean of `sum` over `parts`, in the same way and exact where it is whole. */
void bw_put_mean(bw_node *parent, const char *name, uint64_t sum, uint64_t parts);
/* A value, or null where it is not known. */
void bw_put_count(bw_node *parent, const char *name, bool known, uint64_t count);
void bw_put_known(bw_node *parent, const char *name, bool known, double real);
/* An array or object that was collected by itself, and goes into this document alone. */
void bw_put_node(bw_node *parent, const char *name, bw_node *node);
/* The three numbers of a launch's block or grid, as an array. */
void bw_put_shape(bw_node *parent, const char *name, const uint32_t shape[3]);
/* The 32 addresses of a request, null for a lane that takes no part. */
void bw_put_addresses(bw_node *parent, const char *name, const bw_request *request);
/* "op", "active" and "addresses" of a request. */
void bw_put_request(bw_node *parent, const bw_request *request);

/* ---- reading ---- */

/* The value at the end of a path of names with '/' between them, or NULL. What is null has null
 * members. */
const bw_node *bw_node_at(const bw_node *from, const char *path);
/* An integer or a real as a number; 0 of anything else. */
double bw_node_number(const bw_node *node);

/* ---- JSON ---- */

typedef enum bw_json_style {
    BW_JSON_INDENTED, /* by two spaces a level */
    BW_JSON_NARROW,   /* by one: for long documents */
    BW_JSON_SCRIPT,   /* without spaces, and safe within an HTML script element */
} bw_json_style;

/* Writes the tree and, unless it goes into a script, a line end. Allocates nothing. */
void bw_node_json(const bw_node *root, FILE *out, bw_json_style style);
/* `text` with U+FFFD for the bytes that are no UTF-8; `text` itself where there are none. */
const char *bw_text_mended(bw_arena *arena, const char *text);

/* ---- CSV and tables ---- */

/* How a value is written. A cell is empty where there is no value; null is '-' in a table. */
typedef enum bw_role {
    BW_ROLE_PLAIN,       /* as its kind says; a real with all its digits, or `digits` */
    BW_ROLE_TEXT,        /* on the left */
    BW_ROLE_CELL,        /* a text that stands on the right, among numbers */
    BW_ROLE_COUNT,       /* a whole number as it is, any other with `digits` decimals */
    BW_ROLE_FIXED,       /* any number with `digits` decimals */
    BW_ROLE_SIGNIFICANT, /* with up to `digits` significant digits */
    BW_ROLE_WAYS,        /* a degree: "4-way" */
    BW_ROLE_PERCENT,     /* a part of 1: "12.5%", "100%" */
} bw_role;

/* A column of a table or a CSV file. */
typedef struct bw_field {
    const char *title;
    const char *path; /* from the row; with '^' before it: from the node that the rows belong to */
    bw_role role;
    unsigned digits;
    unsigned optional; /* as in bw_column; tables only */
    bool flexible;     /* likewise */
} bw_field;

/* One, in a list; after the role may follow other members: BW_FIELD("mean", "degree_mean",
 * BW_ROLE_FIXED, .digits = 2). */
#define BW_FIELD(title_, path_, ...)                                                               \
    {                                                                                              \
        .title = title_, .path = path_, .role = __VA_ARGS__                                        \
    }

/* A column called as the member is: of the row, and of what the rows belong to. */
#define BW_SAME(name_) BW_FIELD(name_, name_, BW_ROLE_PLAIN)
#define BW_ABOVE(name_) BW_FIELD(name_, "^" name_, BW_ROLE_PLAIN)

void bw_csv_header(const bw_field *fields, size_t count, FILE *out);
/* A line for one row, or for each element of `rows`. `outer` may be NULL. */
void bw_csv_row(const bw_field *fields, size_t count, const bw_node *row, const bw_node *outer,
                FILE *out);
void bw_csv_rows(const bw_field *fields, size_t count, const bw_node *rows, const bw_node *outer,
                 FILE *out);
/* One CSV cell, quoted where RFC 4180 asks for it. */
void bw_csv_text(FILE *out, const char *text);

/* A text table whose cells come from nodes. `fields` must outlive it. */
typedef struct bw_grid bw_grid;
bw_grid *bw_grid_create(const bw_field *fields, size_t count);
void bw_grid_row(bw_grid *grid, const bw_node *row, bw_row_style style);
void bw_grid_rule(bw_grid *grid);
void bw_grid_destroy(bw_grid *grid);
/* Prints the table and destroys it. */
void bw_grid_print(bw_grid *grid, FILE *out, unsigned width, bool colour);

#endif
