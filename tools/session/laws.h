/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * laws: the random values that patterns ask for, from GSL.
 *
 * Owns the generator (GSL's mt19937, so that a seed means the same on every machine). It knows
 * nothing of patterns. A bw_laws belongs to one thread.
 */
#ifndef BANKWISE_LAWS_H
#define BANKWISE_LAWS_H

#include <stdint.h>

#include "pattern.h"

typedef struct bw_laws bw_laws;

/* `seed` is 1 or more: GSL takes 0 for a seed of its own. */
bw_laws *bw_laws_create(uint32_t seed);
void bw_laws_destroy(bw_laws *laws); /* accepts NULL */
/* Begins again with `seed`: the same draws follow. */
void bw_laws_seed(bw_laws *laws, uint32_t seed);
/* One draw, as bw_host.draw wants it; `laws` is a bw_laws. */
double bw_laws_draw(void *laws, bw_law law, double a, double b);

#endif
