/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * message: the registry of what bankwise says when something is wrong.
 *
 * Owns the table of message ids, made from messages.def. An id is a word or several with dashes
 * ("unknown-name"): it stands in brackets at the end of a diagnostic, names a warning for -W, a
 * rule in SARIF and JSON, and is what `bankwise help` explains. Once released, an id never gets
 * another meaning and is never given to another message; one that is no longer used stays in the
 * table. Words and not numbers, because the warnings have had names from the start, and a word in
 * a log says something to those who have not learnt it.
 *
 * An id stands for a meaning, not for a text: several places that say the same in their own words
 * share one. The words of a diagnostic are written where it is made; the long explanations belong
 * to the program (tools/messages), so that the libraries do not carry them.
 *
 * Constant data: safe from any thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MESSAGE_H
#define BANKWISE_MESSAGE_H

#include <stddef.h>

typedef enum bw_message_id {
#define BW_MESSAGE(name, id, kind, group, line) BW_MSG_##name,
#include "messages.def"
#undef BW_MESSAGE
    BW_MSG_COUNT
} bw_message_id;

/* What a message means for the run. */
typedef enum bw_message_kind {
    BW_KIND_WARNING, /* the result is whole; -Wno-ID leaves the message out */
    BW_KIND_FINDING, /* a check found what it was asked to find: exit code 1 */
    BW_KIND_ERROR,   /* no result: exit code 2 or 3 */
} bw_message_kind;

/* Where a message comes from, as the reader sees it: the parts of the manual page. */
typedef enum bw_message_group {
    BW_GROUP_CHECK,
    BW_GROUP_COMMAND_LINE,
    BW_GROUP_FILES,
    BW_GROUP_STREAMS,
    BW_GROUP_CARD,
    BW_GROUP_FIX,
    BW_GROUP_TEXT,
    BW_GROUP_LANGUAGE,
    BW_GROUP_CXX,
    BW_GROUP_LAUNCHES,
    BW_GROUP_EVALUATION,
    BW_GROUP_MACHINE,
    BW_GROUP_COUNT
} bw_message_group;

typedef struct bw_message {
    const char *id;
    bw_message_kind kind;
    bw_message_group group;
    const char *line; /* one sentence with its full stop */
} bw_message;

/* The row of an id. */
const bw_message *bw_message_of(bw_message_id id);
/* The id of this name, or BW_MSG_COUNT. */
bw_message_id bw_message_find(const char *name);
/* "warning", "finding" or "error". */
const char *bw_message_kind_name(bw_message_kind kind);
/* The group as a heading, such as "Evaluation". */
const char *bw_message_group_title(bw_message_group group);

#endif
