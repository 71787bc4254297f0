/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explanation: what a message means, with an example and its cure.
 *
 * Owns the long texts, which are made from the files of this folder, and how they look on a
 * terminal and in the manual. They are Markdown of the plainest kind: paragraphs and fenced
 * examples. It knows nothing of where messages come from.
 *
 * Constant data: safe from any thread.
 */
#ifndef BANKWISE_EXPLANATION_H
#define BANKWISE_EXPLANATION_H

#include <stdio.h>

#include "message.h"

/* The explanation as it stands in its file, with a line end; NULL: the message has none. */
const char *bw_explanation(bw_message_id id);

/* The message's sentence and its explanation, examples indented. */
void bw_explanation_print(bw_message_id id, FILE *out);
/* All messages by group, a line each. */
void bw_explanation_list(FILE *out);
/* The manual page bankwise-messages(7), in mdoc. */
void bw_explanation_manual(FILE *out);

#endif
