/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * generate: writes what is derived from the registry of messages, when bankwise is built.
 *
 *     gen-messages man|table
 *
 * `table` writes the registry, tab-separated (id, kind, group, line), for the test that holds it,
 * the explanations and what provokes them together.
 */
#include <string.h>

#include "explanation.h"

static void write_table(FILE *out)
{
    for (unsigned i = 0; i < BW_MSG_COUNT; i++) {
        const bw_message *message = bw_message_of((bw_message_id)i);
        fprintf(out, "%s\t%s\t%s\t%s\n", message->id, bw_message_kind_name(message->kind),
                bw_message_group_title(message->group), message->line);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "man") == 0)
        bw_explanation_manual(stdout);
    else if (strcmp(what, "table") == 0)
        write_table(stdout);
    else {
        fputs("usage: gen-messages man|table\n", stderr);
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 3;
}
