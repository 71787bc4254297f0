/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * feed_private: what the forms of traces share. feed.c owns it; a form reads the next requests into
 * a batch, and knows neither prices nor how a file is packed.
 */
#ifndef BANKWISE_FEED_PRIVATE_H
#define BANKWISE_FEED_PRIVATE_H

#include "feed.h"
#include "unpack.h"

/* A form of traces: what its files begin with, and how they are read. */
typedef struct bw_feed_form {
    const char *name;
    bool (*is)(const char *start, size_t len); /* NULL: none of the others is it */
    bool (*open)(bw_feed *feed);               /* may be NULL; false after an error */
    int (*read)(bw_feed *feed, bw_feed_batch *batch);
    void (*close)(bw_feed *feed); /* may be NULL */
} bw_feed_form;

extern const bw_feed_form bw_feed_streams, bw_feed_accelsim, bw_feed_nvbit;

/* A line of a trace may be so long: 32 addresses, or the name of a kernel. */
#define BW_FEED_LINE 65536u

/* A remembered instruction: `tag` is of the form's own making. */
typedef struct bw_feed_memo {
    uint64_t tag[3];
    uint32_t key;
    bool used;
} bw_feed_memo;
#define BW_FEED_MEMOS 1024u /* a power of two: traces repeat few instructions */

typedef enum bw_sass_class {
    BW_SASS_OTHER,    /* it does not ask shared memory */
    BW_SASS_SHARED,   /* `op` is known */
    BW_SASS_GENERIC,  /* shared memory if its addresses are there; `op` is known */
    BW_SASS_UNPRICED, /* it asks shared memory, and has no price */
} bw_sass_class;

typedef struct bw_sass {
    bw_sass_class class;
    bw_op op;
    const char *why; /* of BW_SASS_UNPRICED */
} bw_sass;

/* What the mnemonic is; `answers`: its result is kept. Looked up once for each, mostly. */
bw_sass bw_sass_of(bw_feed *feed, const char *opcode, bool answers);

/* A remembered mnemonic. */
typedef struct bw_sass_memo {
    char opcode[32]; /* longer ones are not remembered; "": none */
    bool answers;
    bw_sass sass;
} bw_sass_memo;

#define BW_SASS_MEMOS 256u /* a power of two */

struct bw_feed {
    const char *path;
    const char *name; /* shown */
    bw_unpack *unpack;
    FILE *file;
    const bw_feed_form *form; /* NULL: not known yet */
    void *state;              /* of the form */
    bw_totals table;          /* its rows are the instructions, without costs */
    bw_feed_memo memos[BW_FEED_MEMOS];
    bw_sass_memo opcodes[BW_SASS_MEMOS];
    bool guesses_lanes;
    uint64_t line_number;
    char *line; /* of BW_FEED_LINE bytes; malloc'd */
    bool failed;
    const char *error; /* in the table's arena, as is the next */
    const char *note;
    bw_message_id error_id;
};

/* The feed fails at the line that was read last, or with `line` false at none; -1. */
int bw_feed_fail(bw_feed *feed, bool line, bw_message_id id, const char *note, const char *format,
                 ...) __attribute__((format(printf, 5, 6)));
/* At the end of the file: 0 where it is one, -1 where what unpacks it failed. Elsewhere 0. */
int bw_feed_fail_at_end(bw_feed *feed);
/* The next line of text without its end, in feed->line. 1; 0: the end; -1: an error. */
int bw_feed_line(bw_feed *feed);
/* The number of an instruction. */
uint32_t bw_feed_key_of(bw_feed *feed, const bw_total_key *key);
/* The memo of a tag, which is it where `used` and the tag is the same. */
bw_feed_memo *bw_feed_memo_of(bw_feed *feed, const uint64_t tag[3]);

/* What a trace says of a warp's instruction. */
typedef struct bw_sass_event {
    const char *opcode;
    bw_sass sass;
    uint32_t active;
    uint64_t addr[BW_LANES];
    uint64_t window, window_end; /* where shared memory stands among addresses; 0: not known */
} bw_sass_event;

/* Puts the event into the batch, all but its key, and true; or false, and counts why it is none. */
bool bw_feed_take(bw_feed *feed, bw_feed_batch *batch, const bw_sass_event *event, uint64_t block,
                  uint64_t warp);

/* Hexadecimal digits, after "0x" or not; false where there are none or too many. *at goes on. */
bool bw_read_hex(const char **at, uint64_t *value);
/* A decimal number with an optional sign. */
bool bw_read_decimal(const char **at, int64_t *value);
/* "X,Y,Z" at the beginning of the text, after a parenthesis or not. */
bool bw_read_three(const char *text, uint64_t three[3]);
/* The word at *at after blanks, which goes on to what follows; *len 0: none is left. */
const char *bw_read_word(const char **at, size_t *len);

#endif
