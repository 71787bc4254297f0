/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparison.h"
#include "instructions.h"
#include "profiled.h"

#include <string.h>

static bw_exit compare_recordings(const bw_args *args, const bw_output *output)
{
    bw_comparison all;
    bw_exit code = BW_EXIT_DONE;
    bw_comparison_begin(&all, args);
    for (size_t i = 0; i < args->file_count && code == BW_EXIT_DONE; i++)
        if (!bw_comparison_read(&all, args->files[i]))
            code = BW_EXIT_USAGE;
    bw_comparison_end(&all);
    if (code == BW_EXIT_DONE) {
        bw_comparison_write(&all, output);
        code = bw_comparison_passes(&all) ? BW_EXIT_DONE : BW_EXIT_FINDING;
    }
    bw_comparison_finish(&all);
    return code;
}

/* A report alone: its own machine code is executed. */
static bw_exit compare_instructions(const bw_args *args, bw_output *output)
{
    bw_ins_comparison all = {.args = args};
    if (!bw_input_read(&all.input, args->values[BW_OPTION_NCU].text))
        return BW_EXIT_USAGE;
    if (!bw_profiled_print(&all.input, args, BW_PROFILED_CODE)) {
        bw_ins_finish(&all);
        return BW_EXIT_USAGE;
    }
    if (!bw_input_is_machine(&all.input)) {
        bw_complain(BW_MSG_INPUT_KIND,
                    "give the pattern too, or the page that has SASS: ncu --import FILE --csv "
                    "--page source --print-source sass",
                    "compare --ncu: '%s' has no machine code", all.input.source.name);
        bw_ins_finish(&all);
        return BW_EXIT_USAGE;
    }
    bw_exit code = bw_ins_compare(&all);
    bw_ins_write(&all, output);
    bw_ins_finish(&all);
    return code;
}

/* What is printed depends on the program's command line and --kernel, and on nothing else. */
static bool check_command_options(const bw_args *args)
{
    static const bw_option_id taken[] = {BW_OPTION_NCU_COMMAND, BW_OPTION_KERNEL, BW_OPTION_OUTPUT,
                                         BW_OPTION_COLOR, BW_OPTION_QUIET};
    bool good = true;
    for (size_t i = 0; i < BW_OPTION_COUNT && good; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
            known |= i == taken[k];
        good = known || !args->values[i].given;
    }
    if (!good)
        bw_complain(BW_MSG_OPTION_CONFLICT,
                    "it takes --kernel, and after '--' the command line of the program to profile",
                    "compare: --ncu-command does not go with the other options");
    return good;
}

/* Options of one of the two forms of the command are a mistake with the other. */
static bool check_options(const bw_args *args)
{
    static const bw_option_id of_reports[] = {
        BW_OPTION_DEFINE, BW_OPTION_BLOCK,     BW_OPTION_GRID,       BW_OPTION_SEED,
        BW_OPTION_TRIALS, BW_OPTION_MAX_STEPS, BW_OPTION_MAX_MEMORY, BW_OPTION_JOIN,
        BW_OPTION_KERNEL, BW_OPTION_ARG,       BW_OPTION_DATA,       BW_OPTION_SHARED,
        BW_OPTION_CUBIN,
    };
    bool ncu = args->values[BW_OPTION_NCU].given;
    if (args->values[BW_OPTION_NCU_COMMAND].given)
        return check_command_options(args);
    for (size_t i = 0; i < sizeof of_reports / sizeof *of_reports; i++)
        if (!ncu && args->values[of_reports[i]].given) {
            bw_complain(BW_MSG_OPTION_CONFLICT,
                        "it is about a pattern, which 'compare --ncu REPORT' predicts",
                        "compare: an option of --ncu is given without it");
            return false;
        }
    if (ncu && (args->values[BW_OPTION_MIN_MATCH].given || args->values[BW_OPTION_SHOW].given)) {
        bw_complain(BW_MSG_OPTION_CONFLICT, "they are about recordings",
                    "compare: --min-match and --show do not go with --ncu");
        return false;
    }
    if (ncu && args->file_count > 1) {
        bw_complain(BW_MSG_FILE_COUNT, NULL, "compare --ncu takes one pattern; '%s' is a second",
                    args->files[1]);
        return false;
    }
    return true;
}

bw_exit bw_run_compare(const bw_args *args)
{
    bw_output output;
    if (!check_options(args) || !bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    if (args->values[BW_OPTION_NCU_COMMAND].given) {
        bw_compare_command(args, &output);
        return bw_output_close(&output, true, BW_EXIT_DONE);
    }
    bool report = args->values[BW_OPTION_NCU].given, alone = report && !args->file_count;
    bw_exit code = alone    ? compare_instructions(args, &output)
                   : report ? bw_compare_ncu(args, &output)
                            : compare_recordings(args, &output);
    bool some = alone && !output.path; /* kernels that ran are shown beside those that did not */
    return bw_output_close(&output, some || code <= BW_EXIT_FINDING, code);
}
