/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <string.h>

/* Options of a command whose help has a line for each. */
#define MOST_EXPLAINED 20

static const char *const operand_texts[] = {[BW_OPERANDS_FILE] = "FILE",
                                            [BW_OPERANDS_FILES] = "FILE...",
                                            [BW_OPERANDS_RECORDINGS] = "RECORDING...",
                                            [BW_OPERANDS_TRACES] = "TRACE...",
                                            [BW_OPERANDS_WORDS] = "[WORD]..."};
_Static_assert(sizeof operand_texts / sizeof *operand_texts == BW_OPERANDS_COUNT,
               "a text for each");

void bw_help_program(FILE *out)
{
    fputs("Usage: bankwise COMMAND [OPTION]... FILE...\n\n"
          "Predicts what a warp's shared-memory accesses cost on an NVIDIA card: bank\n"
          "conflicts, wavefronts and cycles, without a card.\n\nCommands:\n",
          out);
    const bw_command *command;
    for (size_t i = 0; (command = bw_command_at(i)); i++)
        fprintf(out, "  %-9s %s\n", command->name, command->summary);
    fputs("\n'bankwise COMMAND --help' lists the options of a command; bankwise(1) has more.\n"
          "FILE is a pattern file, '-' for standard input, or the name of a stock pattern:\n\n"
          "  bankwise predict kernels/transpose\n\n"
          "Exit codes: 0 done, 1 a finding, 2 usage or input, 3 internal, 77 no card.\n",
          out);
}

static void help_option(const bw_option *option, FILE *out)
{
    char left[64];
    const char *argument = option->choices ? option->choices : option->argument;
    char letter[5] = {option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
                      option->letter ? ',' : ' ', ' ', '\0'};
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, argument ? " " : "",
             argument ? argument : "");
    if (strlen(left) > 26)
        fprintf(out, "  %s\n  %26s  %s\n", left, "", option->help);
    else
        fprintf(out, "  %-26s  %s\n", left, option->help);
}

/* Whether the help has a line for the option. Of a command with many options, those that others
 * have too, and those that few need, are named only, so that the rest fits a terminal. */
static bool has_line(const bw_option *option, const bw_command *command)
{
    size_t count = 0;
    const bw_option *other;
    for (size_t i = 0; (other = bw_option_at(i)); i++)
        count += bw_option_belongs(other, command);
    bool rare = option->id == BW_OPTION_COMPILE_COMMANDS || option->id == BW_OPTION_CUBIN ||
                option->id == BW_OPTION_DISASSEMBLER || option->id == BW_OPTION_NCU_TOOL ||
                option->id == BW_OPTION_LAUNCHES;
    return count <= MOST_EXPLAINED || (option->id <= BW_OPTION_WARNING && !rare);
}

/* The options without a line, as one text in lines of 79 cells. */
static void help_names(const bw_command *command, FILE *out)
{
    size_t used = 0;
    char name[64];
    const bw_option *o;
    for (size_t i = 0; (o = bw_option_at(i)); i++) {
        if (!bw_option_belongs(o, command) || has_line(o, command))
            continue;
        const char *argument = o->choices ? o->choices : o->argument;
        char letter[5] = {'-', o->letter, ',', ' ', '\0'};
        size_t len = (size_t)snprintf(name, sizeof name, "%s--%s%s%s", o->letter ? letter : "",
                                      o->name, argument ? " " : "", argument ? argument : "");
        bool fits = used + len + 3 < 80;
        fprintf(out, "%s%s", !used ? "  " : fits ? ", " : ",\n  ", name);
        used = (used && fits ? used + 2 : 2) + len;
    }
    if (used)
        fputc('\n', out);
}

const char *bw_operands_text(bw_operands operands)
{
    return operand_texts[operands];
}

void bw_help_command(const bw_command *command, FILE *out)
{
    fprintf(out, "Usage: bankwise %s [OPTION]... %s\n\nShows %s.\n\nOptions:\n", command->name,
            operand_texts[command->operands], command->summary);
    const bw_option *option;
    for (size_t i = 0; (option = bw_option_at(i)); i++)
        if (bw_option_belongs(option, command) && has_line(option, command))
            help_option(option, out);
    help_names(command, out);
    fprintf(out, "\nbankwise-%s(1) has more.\n", command->name);
}
