/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run: a source text in, its requests and diagnostics out. For the tests of the language.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_TESTS_RUN_H
#define BANKWISE_TESTS_RUN_H

#include "pattern.h"

typedef struct ran_request {
    bw_request_origin origin;
    bw_request request;
    uint64_t copies;
} ran_request;

typedef struct ran {
    ran_request *items; /* of all launches */
    size_t count, capacity;
    char *errors; /* all diagnostics as printed; "" if there are none */
    bw_program *pattern;
    bw_diags diags;
    bw_source source;
    bw_run last; /* of the last launch */
    bool ok;     /* parsed and every launch ran */
} ran;

/* Runs `text` with `options` (NULL: none). Draws are 0, 1, 2 …, files are refused. */
ran *run_source(const char *text, const bw_pattern_options *options);
void run_finish(ran *r);

/* The index (from 0) of request `n`'s first active lane's address among 4-byte words. */
unsigned run_word(const ran *r, size_t n, int lane);

#define HEAD "__shared__ int s[1024];\nint t = threadIdx.x;\n"

/* `text` makes `count` requests; word expected[k] is what lane `lane` of request k uses. */
void expect_words(const char *text, int lane, size_t count, const unsigned *expected);
#define WORDS(text, lane, ...)                                                                     \
    expect_words(text, lane, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned),           \
                 (const unsigned[]){__VA_ARGS__})
/* `text` is refused, with `part` in what is said. */
void expect_error(const char *text, const char *part);

#endif
