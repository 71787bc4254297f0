/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu: runs shared-memory requests on a real card.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <string.h>

#include "standard.h"

static int (*const runs[CLI_COMMANDS])(int argc, char **argv) = {
    [CLI_RUN] = cli_run,         [CLI_FUZZ] = cli_fuzz, [CLI_PROBE] = cli_probe,
    [CLI_OPCODES] = cli_opcodes, [CLI_INFO] = cli_info,
};

int main(int argc, char **argv)
{
    if (!bw_standard_hold())
        return BW_EXIT_INTERNAL;
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        cli_help(stderr);
        return BW_EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        cli_help(stdout);
        return BW_EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        puts("bankwise-gpu " BANKWISE_VERSION);
        return BW_EXIT_DONE;
    }
    for (size_t i = 0; i < CLI_COMMANDS; i++)
        if (strcmp(name, cli_command_at(i)->name) == 0)
            return runs[i](argc - 1, argv + 1);
    return cli_fail(BW_EXIT_USAGE, "unknown subcommand '%s'; 'bankwise-gpu --help' lists them",
                    name);
}
