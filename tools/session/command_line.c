/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "option_values.h"

void bw_args_bind(bw_args *args, bool data, const char *target, const char *value)
{
    bw_argument **list = data ? &args->data : &args->arguments;
    size_t *count = data ? &args->data_count : &args->argument_count;
    bw_argument given = {target, value, ++args->order};
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*list)[i].target, target) == 0) {
            (*list)[i] = given;
            return;
        }
    *list = bw_realloc(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = given;
}

void bw_args_add_launch(bw_args *args, const char *name, const char *text)
{
    args->launches = bw_realloc(args->launches, (args->launch_count + 1) * sizeof *args->launches);
    args->launches[args->launch_count++] =
        (bw_launch_text){{name, text, strlen(text), NULL}, ++args->order};
}

bool bw_warning_is_on(const bw_args *args, bw_message_id id)
{
    return !args->silent[id];
}

static const bw_option *find_long(const bw_command *command, const char *name, size_t length)
{
    const bw_option *option;
    for (size_t i = 0; (option = bw_option_at(i)); i++)
        if (bw_option_belongs(option, command) && strlen(option->name) == length &&
            memcmp(option->name, name, length) == 0)
            break;
    return option;
}

static const bw_option *find_letter(const bw_command *command, char letter)
{
    const bw_option *option;
    for (size_t i = 0; (option = bw_option_at(i)); i++)
        if (bw_option_belongs(option, command) && letter && option->letter == letter)
            break;
    return option;
}

static bool unknown_option(bw_args *args, const char *text, const char *name)
{
    const char *nearest = name ? bw_option_nearest(args->command, name) : NULL;
    const char *note = nearest ? bw_arena_format(&args->arena, "did you mean --%s?", nearest)
                               : bw_arena_format(&args->arena, "'bankwise %s --help' lists them",
                                                 args->command->name);
    bw_complain(BW_MSG_UNKNOWN_OPTION, note, "%s: unknown option '%s'", args->command->name, text);
    return false;
}

/* Where the next argument is, and where argv ends. */
typedef struct cursor {
    char **next, **end;
} cursor;

static bool missing_argument(const bw_option *option)
{
    bw_complain(BW_MSG_OPTION_ARGUMENT, NULL, "--%s needs an argument: %s", option->name,
                option->choices ? option->choices : option->argument);
    return false;
}

static bool read_long(bw_args *args, const char *text, cursor *at)
{
    const char *name = text + 2;
    size_t length = strcspn(name, "=");
    const char *joined = name[length] ? name + length + 1 : NULL;
    const bw_option *option = find_long(args->command, name, length);
    if (!option)
        return unknown_option(args, text, bw_arena_copy(&args->arena, name, length));
    if (option->type == BW_TYPE_FLAG) {
        if (joined)
            return bw_bad_value(BW_MSG_OPTION_ARGUMENT, option, joined,
                                "is an argument, and it takes none", NULL);
        return bw_option_read(args, option, "");
    }
    if (!joined && at->next == at->end)
        return missing_argument(option);
    return bw_option_read(args, option, joined ? joined : *at->next++);
}

static bool read_letters(bw_args *args, const char *text, cursor *at)
{
    for (const char *p = text + 1; *p; p++) {
        const bw_option *option = find_letter(args->command, *p);
        if (!option)
            return unknown_option(args, text, text[2] ? text + 1 : NULL);
        if (option->type == BW_TYPE_FLAG) {
            if (!bw_option_read(args, option, ""))
                return false;
            continue;
        }
        if (!p[1] && at->next == at->end)
            return missing_argument(option);
        return bw_option_read(args, option, p[1] ? p + 1 : *at->next++);
    }
    return true;
}

static void fill_defaults(bw_args *args)
{
    bw_value *values = args->values;
    if (!values[BW_OPTION_ARCH].given)
        values[BW_OPTION_ARCH].arch = bw_arch_find(BW_DEFAULT_ARCH);
    if (!values[BW_OPTION_SEED].given)
        values[BW_OPTION_SEED].number = BW_DEFAULT_SEED;
    if (!values[BW_OPTION_TRIALS].given)
        values[BW_OPTION_TRIALS].number = BW_DEFAULT_TRIALS;
    if (!values[BW_OPTION_SHOW].given)
        values[BW_OPTION_SHOW].number = BW_DEFAULT_SHOW;
}

static bool asks_help(int argc, char **argv, bw_args *args)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        args->values[BW_OPTION_HELP].given |=
            strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
        args->values[BW_OPTION_VERSION].given |= strcmp(argv[i], "--version") == 0;
    }
    return args->values[BW_OPTION_HELP].given || args->values[BW_OPTION_VERSION].given;
}

static bool check_files(const bw_args *args)
{
    bw_operands operands = args->command->operands;
    if (operands == BW_OPERANDS_WORDS || args->values[BW_OPTION_NCU_COMMAND].given)
        return true;                                 /* words, not files */
    bool report = args->values[BW_OPTION_NCU].given; /* which may be all there is */
    if (!args->file_count && !report) {
        const char *const notes[BW_OPERANDS_COUNT] = {
            [BW_OPERANDS_RECORDINGS] = "give a recording, or '-' for standard input",
            [BW_OPERANDS_TRACES] = "give a trace, or '-' for standard input"};
        bw_complain(BW_MSG_FILE_COUNT,
                    notes[operands] ? notes[operands]
                                    : "give a file, '-' for standard input, or a stock pattern "
                                      "such as kernels/transpose",
                    "%s needs a file", args->command->name);
        return false;
    }
    if (operands == BW_OPERANDS_FILE && args->file_count > 1) {
        bw_complain(BW_MSG_FILE_COUNT, NULL, "%s takes one file; '%s' is a second",
                    args->command->name, args->files[1]);
        return false;
    }
    size_t inputs = 0;
    for (size_t i = 0; i < args->file_count; i++)
        inputs += strcmp(args->files[i], "-") == 0;
    if (inputs > 1)
        bw_complain(BW_MSG_INPUT_TWICE, NULL, "standard input ('-') can be read once");
    return inputs <= 1;
}

bool bw_args_read(bw_args *args, const bw_command *command, int argc, char **argv)
{
    *args = (bw_args){.command = command};
    if (asks_help(argc, argv, args))
        return true;
    args->files = bw_calloc((size_t)argc + 1, sizeof *args->files);
    bool only_files = false;
    for (cursor at = {argv, argv + argc}; at.next < at.end;) {
        const char *text = *at.next++;
        if (only_files || text[0] != '-' || !text[1])
            args->files[args->file_count++] = text;
        else if (strcmp(text, "--") == 0)
            only_files = true;
        else if (!(text[1] == '-' ? read_long(args, text, &at) : read_letters(args, text, &at)))
            return false;
    }
    fill_defaults(args);
    return check_files(args);
}

void bw_args_finish(bw_args *args)
{
    free(args->files);
    free(args->defines);
    free(args->arguments);
    free(args->data);
    free(args->launches);
    bw_arena_finish(&args->arena);
}
