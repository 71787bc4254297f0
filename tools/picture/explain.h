/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain: what there is to say about one request, in sentences.
 *
 * Every sentence is worked out from the picture, that is from the schedule, and holds for this very
 * request; a sentence that would not is not said. They come in the order in which a person would
 * ask: who asks for what, what it costs, how the lanes are grouped and why, which lanes collide and
 * how that comes about, which share, and what a layout can do. The wording is fixed, so that a test
 * can read every sentence back and hold it against the schedule.
 *
 * It knows no file and no output. Everything lives in the arena.
 */
#ifndef BANKWISE_EXPLAIN_H
#define BANKWISE_EXPLAIN_H

#include "picture.h"

/* Sentences with their full stops; NULL-terminated. */
const char *const *bw_explain(const bw_picture *picture, bw_arena *arena);

#endif
