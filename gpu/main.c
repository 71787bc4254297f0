/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu: runs shared-memory requests on a real card.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <string.h>

static const cli_subcommand subcommands[] = {
    {"run", "[FILE|-]", "measure a stream of requests; write a recording", cli_run},
    {"fuzz", "--op OP[,OP...]|all", "measure random requests and hold them against the model",
     cli_fuzz},
    {"probe", "NAME", "an experiment about one open question; --list names them", cli_probe},
    {"info", "", "the card, and whether it can be measured exactly", cli_info},
};
#define SUBCOMMANDS (sizeof subcommands / sizeof *subcommands)

static int help(FILE *out)
{
    fputs("usage: bankwise-gpu SUBCOMMAND [OPTION...]\n\n"
          "Runs shared-memory requests on an NVIDIA card and counts their cycles exactly.\n\n",
          out);
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        fprintf(out, "  %-6s%-22s%s\n", subcommands[i].name, subcommands[i].arguments,
                subcommands[i].summary);
    fputs("\n'bankwise-gpu SUBCOMMAND --help' lists its options.\n"
          "Exit codes: 0 done; 1 a mismatch; 2 usage or input; 3 internal; 77 no usable card.\n",
          out);
    return BW_EXIT_DONE;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        help(stderr);
        return BW_EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(stdout);
    if (strcmp(name, "--version") == 0) {
        puts("bankwise-gpu " BANKWISE_VERSION);
        return BW_EXIT_DONE;
    }
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    return cli_fail(BW_EXIT_USAGE, "unknown subcommand '%s'; 'bankwise-gpu --help' lists them",
                    name);
}
