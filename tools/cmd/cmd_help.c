/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "explanation.h"
#include "output.h"

/* A message's name as it is, or as a diagnostic has it: [name], [-Wname]; or no-name, as -W has it.
 */
static const char *bare_name(bw_arena *arena, const char *word)
{
    word += *word == '[';
    word += strncmp(word, "-W", 2) == 0 ? 2 : 0;
    word += strncmp(word, "no-", 3) == 0 && bw_message_find(word) == BW_MSG_COUNT ? 3 : 0;
    return bw_arena_copy(arena, word, strcspn(word, "]"));
}

static bool unknown_word(bw_arena *arena, const char *word)
{
    const char *nearest = bw_message_nearest(word);
    bw_complain(BW_MSG_UNKNOWN_MESSAGE,
                nearest ? bw_arena_format(arena, "did you mean '%s'?", nearest)
                        : "'bankwise help' lists the messages, 'bankwise --help' the commands",
                "help: '%s' is neither a message nor a command", word);
    return false;
}

static bool explain_word(bw_arena *arena, const char *word, FILE *out)
{
    const bw_command *command = bw_command_find(word);
    const char *name = bare_name(arena, word);
    bw_message_id id = bw_message_find(name);
    if (command)
        bw_help_command(command, out);
    else if (id != BW_MSG_COUNT)
        bw_explanation_print(id, out);
    else
        return unknown_word(arena, name);
    return true;
}

bw_exit bw_run_help(const bw_args *args)
{
    bw_output output;
    bw_arena arena = {NULL};
    bool good = true;
    if (!bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    if (!args->file_count)
        bw_explanation_list(output.file);
    for (size_t i = 0; i < args->file_count; i++) {
        fputs(i ? "\n" : "", output.file);
        good = explain_word(&arena, args->files[i], output.file) && good;
    }
    bw_arena_finish(&arena);
    return bw_output_close(&output, good, good ? BW_EXIT_DONE : BW_EXIT_USAGE);
}
