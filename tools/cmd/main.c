/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise: the program. Finds the subcommand, reads its options and runs it.
 *
 * No locale is set: numbers are written the same way everywhere, and UTF-8 passes through.
 */
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <string.h>

#include "gsl_errors.h"
#include "options.h"
#include "output.h"
#include "standard.h"

static bw_exit shown(void)
{
    return bw_flush_stdout() ? BW_EXIT_DONE : BW_EXIT_INTERNAL;
}

static bw_exit show_version(void)
{
    puts("bankwise " BANKWISE_VERSION);
    puts("License GPLv3+ with a permission to link the CUDA runtime; no warranty.");
    return shown();
}

static bw_exit unknown_command(const char *name)
{
    const char *nearest = bw_command_nearest(name);
    char note[128];
    snprintf(note, sizeof note, "did you mean 'bankwise %s'?", nearest ? nearest : "");
    bw_complain(BW_MSG_UNKNOWN_COMMAND, nearest ? note : "'bankwise --help' lists the commands",
                "unknown %s '%s'", name[0] == '-' ? "option" : "command", name);
    return BW_EXIT_USAGE;
}

static bw_exit run_command(const bw_command *command, int argc, char **argv)
{
    bw_args args;
    bw_exit code = BW_EXIT_USAGE;
    if (bw_args_read(&args, command, argc, argv)) {
        if (args.values[BW_OPTION_HELP].given) {
            bw_help_command(command, stdout);
            code = shown();
        } else if (args.values[BW_OPTION_VERSION].given) {
            code = show_version();
        } else {
            code = command->run(&args);
        }
    }
    bw_args_finish(&args);
    return code;
}

int main(int argc, char **argv)
{
    if (!bw_standard_hold())
        return BW_EXIT_INTERNAL;
    gsl_set_error_handler(bw_gsl_strict);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe ends the program, but not before it has cleaned up */
    if (argc < 2) {
        bw_help_program(stderr);
        return BW_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        bw_help_program(stdout);
        return (int)shown();
    }
    if (strcmp(argv[1], "--version") == 0)
        return (int)show_version();
    const bw_command *command = bw_command_find(argv[1]);
    if (!command)
        return (int)unknown_command(argv[1]);
    return (int)run_command(command, argc - 2, argv + 2);
}
