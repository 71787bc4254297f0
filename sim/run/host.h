/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * host: what programs ask of the world outside: random numbers, and files that they name.
 *
 * Owns the types alone. A host belongs to one thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_HOST_H
#define BANKWISE_HOST_H

#include <stddef.h>

/* Laws of random values; parameters in the order of the pattern language. */
typedef enum bw_law {
    BW_LAW_UNIFORM,  /* random(n): 0 … n-1                     */
    BW_LAW_ZIPF,     /* zipf(n, s): rank 0 … n-1, P ~ 1/(r+1)^s */
    BW_LAW_NORMAL,   /* normal(mu, sigma): a double            */
    BW_LAW_BINOMIAL, /* binomial(n, p): 0 … n                  */
} bw_law;

/* Either member may be NULL: then a program that needs it gets an error. */
typedef struct bw_host {
    void *context;
    /* One draw. Parameters were checked: n >= 1, s >= 0, sigma >= 0, 0 <= p <= 1. */
    double (*draw)(void *context, bw_law law, double a, double b);
    /* A file that the program names, relative to its own: malloc'd text, or NULL with *error set to
     * static or context-owned text. */
    char *(*read_file)(void *context, const char *path, size_t *len, const char **error);
} bw_host;

#endif
