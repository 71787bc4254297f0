/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The option table of bankwise-gpu: its rows can be read, and its help texts say them.
 *
 *     test_gpu_command_line          the tests
 *     test_gpu_command_line table    the table, tab-separated: subcommand, letter, name, argument;
 * for the test that holds the man page against it
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdio.h>
#include <string.h>

#include "command_line.h"
#include "tap.h"

/* Reads the words after the subcommand's name, of which `args` may hold on to some until the next
 * call. */
static int read_line(cli_args *args, cli_command_id command, size_t count, const char *const *words)
{
    static char text[16][64];
    char *argv[17];
    snprintf(text[0], sizeof text[0], "%s", cli_command_at(command)->name);
    for (size_t i = 0; i < count; i++)
        snprintf(text[i + 1], sizeof text[0], "%s", words[i]);
    for (size_t i = 0; i <= count; i++)
        argv[i] = text[i];
    argv[count + 1] = NULL;
    return cli_args_read(args, command, (int)count + 1, argv);
}
#define READ(args, command, ...)                                                                   \
    read_line(args, command, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),               \
              (const char *[]){__VA_ARGS__})

static bool belongs(const cli_option *option, cli_command_id command)
{
    return option->commands >> command & 1;
}

/* Each row, by its long and its short name, where and only where it belongs. */
START_TEST(each_option)
{
    const cli_option *option = cli_option_at((size_t)_i / CLI_COMMANDS);
    cli_command_id command = (cli_command_id)((unsigned)_i % CLI_COMMANDS);
    char name[64], letter[4], value[64] = "text";
    cli_args args;
    if (option->id == CLI_HELP)
        return; /* it prints */
    if (option->type == CLI_NUMBER)
        snprintf(value, sizeof value, "%llu", (unsigned long long)option->most);
    if (option->type == CLI_OPS)
        snprintf(value, sizeof value, "ld.32,st.8");
    snprintf(name, sizeof name, "--%s", option->name);
    snprintf(letter, sizeof letter, "-%c", option->letter);
    bool flag = option->type == CLI_FLAG;
    bool known = false; /* another row may have the name for this subcommand */
    for (size_t i = 0; cli_option_at(i); i++)
        known |=
            belongs(cli_option_at(i), command) && strcmp(cli_option_at(i)->name, option->name) == 0;
    if (!known) {
        ck_assert_int_eq(READ(&args, command, name), BW_EXIT_USAGE);
        return;
    }
    if (!belongs(option, command))
        return;
    for (int way = 0; way < 2; way++) {
        const char *word = way ? letter : name;
        if (way && !option->letter)
            continue;
        int code = flag ? READ(&args, command, word) : READ(&args, command, word, value);
        ck_assert_msg(code == -1, "%s %s", word, value);
        ck_assert(args.values[option->id].given);
        if (option->type == CLI_NUMBER)
            ck_assert_uint_eq(args.values[option->id].number, option->most);
    }
}
END_TEST

/* A number outside its range, and what is none. */
START_TEST(bad_numbers)
{
    const cli_option *option = cli_option_at((size_t)_i);
    char name[64], text[64];
    cli_args args;
    if (option->type != CLI_NUMBER)
        return;
    cli_command_id command = (cli_command_id)__builtin_ctz(option->commands);
    snprintf(name, sizeof name, "--%s", option->name);
    static const char *const none[] = {"",   "-1",  "+1",   " 1",  "1 ",
                                       "1x", "0x1", "1e3x", "1.5", "18446744073709551616"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(READ(&args, command, name, none[i]) == BW_EXIT_USAGE, "%s '%s'", name,
                      none[i]);
    if (option->most < UINT64_MAX) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)option->most + 1);
        ck_assert_int_eq(READ(&args, command, name, text), BW_EXIT_USAGE);
    }
    if (option->least > 0) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)option->least - 1);
        ck_assert_int_eq(READ(&args, command, name, text), BW_EXIT_USAGE);
    }
}
END_TEST

START_TEST(presets)
{
    cli_args args;
    ck_assert_int_eq(READ(&args, CLI_RUN, "file"), -1);
    ck_assert_str_eq(args.files[0], "file");
    ck_assert_str_eq(args.command, "bankwise-gpu run file");
    ck_assert_uint_eq(args.values[CLI_WARPS].number, 16);
    ck_assert(!args.values[CLI_WARPS].given && !args.values[CLI_OUTPUT].text);
    ck_assert_int_eq(READ(&args, CLI_FUZZ, "--seed=7"), -1);
    ck_assert_uint_eq(args.values[CLI_COUNT].number, 100000);
    ck_assert_uint_eq(args.values[CLI_SEED].number, 7);
    ck_assert_int_eq(READ(&args, CLI_PROBE, "ways", "--note", "a\nb"), -1);
    ck_assert_uint_eq(args.values[CLI_COUNT].number, 2000);
    ck_assert_str_eq(args.command, "bankwise-gpu probe ways --note a b");
    ck_assert_int_eq(READ(&args, CLI_INFO, "--format", "json"), -1);
    ck_assert_uint_eq(args.values[CLI_FORMAT].number, 1);
}
END_TEST

START_TEST(operations)
{
    cli_args args;
    ck_assert_int_eq(READ(&args, CLI_FUZZ, "--op", "ld.32,st.8", "--op", "ld.64"), -1);
    ck_assert(args.ops[BW_OP_LD_32] && args.ops[BW_OP_ST_8] && args.ops[BW_OP_LD_64]);
    ck_assert(!args.ops[BW_OP_LD_128] && !args.all_ops);
    ck_assert_int_eq(READ(&args, CLI_FUZZ, "--op", "all"), -1);
    ck_assert(args.all_ops && !args.ops[BW_OP_LD_32]);
    ck_assert_int_eq(READ(&args, CLI_FUZZ, "--op", "ld.32,all"), -1);
    ck_assert(args.all_ops && args.ops[BW_OP_LD_32]);
    static const char *const none[] = {"ld.33", "", ",", "ld.32,", ",ld.32", "ld.32,,ld.64", "al"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(READ(&args, CLI_FUZZ, "--op", none[i]) == BW_EXIT_USAGE, "%s", none[i]);
}
END_TEST

START_TEST(refusals)
{
    cli_args args;
    ck_assert_int_eq(READ(&args, CLI_RUN, "a", "b"), BW_EXIT_USAGE);
    ck_assert_int_eq(READ(&args, CLI_FUZZ, "a"), BW_EXIT_USAGE);
    ck_assert_int_eq(READ(&args, CLI_INFO, "a"), BW_EXIT_USAGE);
    ck_assert_int_eq(READ(&args, CLI_PROBE, "a", "b", "c"), BW_EXIT_USAGE);
    ck_assert_int_eq(READ(&args, CLI_INFO, "--format", "tex"), BW_EXIT_USAGE);
    ck_assert_int_eq(READ(&args, CLI_INFO, "--format", ""), BW_EXIT_USAGE);
    ck_assert_int_eq(READ(&args, CLI_INFO, "--format"), BW_EXIT_USAGE);
    ck_assert_int_eq(READ(&args, CLI_RUN, "-o"), BW_EXIT_USAGE);
}
END_TEST

/* Each option of the subcommand on a line of its help, and no line too long. */
START_TEST(help_texts)
{
    char text[8192], row[64];
    FILE *file = fmemopen(text, sizeof text, "w");
    ck_assert_ptr_nonnull(file);
    if (_i == CLI_COMMANDS)
        cli_help(file);
    else
        cli_help_command(file, (cli_command_id)_i);
    fclose(file);
    for (size_t i = 0; _i < CLI_COMMANDS && cli_option_at(i); i++) {
        const cli_option *option = cli_option_at(i);
        if (!belongs(option, (cli_command_id)_i))
            continue;
        snprintf(row, sizeof row, "--%s%s%s ", option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        ck_assert_msg(strstr(text, row) != NULL, "%s", row);
        ck_assert_msg(strstr(text, option->help) != NULL, "%s", option->help);
    }
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        ck_assert_msg(length <= 80, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}
END_TEST

static int print_table(void)
{
    const cli_option *option;
    for (unsigned command = 0; command < CLI_COMMANDS; command++)
        for (size_t i = 0; (option = cli_option_at(i)); i++)
            if (belongs(option, (cli_command_id)command))
                printf("%s\t%c\t%s\t%s\n", cli_command_at(command)->name,
                       option->letter ? option->letter : '-', option->name,
                       option->argument ? option->argument : "");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "table") == 0)
        return print_table();
    int rows = 0;
    while (cli_option_at((size_t)rows))
        rows++;
    TCase *tc = tcase_create("options");
    tcase_add_loop_test(tc, each_option, 0, rows * CLI_COMMANDS);
    tcase_add_loop_test(tc, bad_numbers, 0, rows);
    tcase_add_test(tc, presets);
    tcase_add_test(tc, operations);
    tcase_add_test(tc, refusals);
    tcase_add_loop_test(tc, help_texts, 0, CLI_COMMANDS + 1);
    return tap_run(tc);
}
