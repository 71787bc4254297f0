/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "message.h"

#include <string.h>

static const bw_message messages[] = {
#define BW_MESSAGE(name, id, kind, group, line) {id, BW_KIND_##kind, BW_GROUP_##group, line},
#include "messages.def"
#undef BW_MESSAGE
};
_Static_assert(sizeof messages / sizeof *messages == BW_MSG_COUNT, "a row for each id");

static const char *const kinds[] = {
    [BW_KIND_WARNING] = "warning",
    [BW_KIND_FINDING] = "finding",
    [BW_KIND_ERROR] = "error",
};
_Static_assert(sizeof kinds / sizeof *kinds == BW_KIND_ERROR + 1, "a name for each kind");

static const char *const groups[] = {
    [BW_GROUP_CHECK] = "Checks and suspicions",
    [BW_GROUP_COMMAND_LINE] = "Command line",
    [BW_GROUP_FILES] = "Files",
    [BW_GROUP_STREAMS] = "Request streams, recordings and profiles",
    [BW_GROUP_CARD] = "Measuring on a card",
    [BW_GROUP_FIX] = "Changing a layout",
    [BW_GROUP_TEXT] = "Text and preprocessor",
    [BW_GROUP_LANGUAGE] = "The language",
    [BW_GROUP_CXX] = "The language: what it takes of C++",
    [BW_GROUP_LAUNCHES] = "Launches",
    [BW_GROUP_EVALUATION] = "Evaluation",
    [BW_GROUP_MACHINE] = "Machine code",
};
_Static_assert(sizeof groups / sizeof *groups == BW_GROUP_COUNT, "a title for each group");

const bw_message *bw_message_of(bw_message_id id)
{
    return &messages[id];
}

bw_message_id bw_message_find(const char *name)
{
    unsigned id = 0;
    while (id < BW_MSG_COUNT && strcmp(messages[id].id, name) != 0)
        id++;
    return (bw_message_id)id;
}

const char *bw_message_kind_name(bw_message_kind kind)
{
    return kinds[kind];
}

const char *bw_message_group_title(bw_message_group group)
{
    return groups[group];
}
