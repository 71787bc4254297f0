/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * broken_lanes: the engine's evaluators through a table in which one may be broken: wrong in two
 * bits of one lane's result, and in one lane's predicates. Linked into a program, it takes the
 * place of the engine's own choice of a table. The variable BROKEN_VARIABLE names one that is
 * broken from the start.
 */
#ifndef BANKWISE_TESTS_BROKEN_LANES_H
#define BANKWISE_TESTS_BROKEN_LANES_H

#include "lanes.h"

#define BROKEN_VARIABLE "BANKWISE_BROKEN_EVALUATOR"

const char *broken_lanes_name(int evaluator);
void broken_lanes_set(int evaluator); /* -1: none */
/* How often each was called since this was last asked. */
void broken_lanes_used(unsigned long *calls);

#endif
