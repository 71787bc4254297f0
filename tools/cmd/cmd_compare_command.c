/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare --ncu-command: the commands that profile a program and print what compare reads.
 *
 * Nothing is run. The options are those with which the reports in tests/recorded/sm_90-h200 were
 * made: clocks and caches are left alone, and of each kernel the first launch is profiled, as each
 * is run several times for the counters.
 */
#include "comparison.h"
#include "profiler.h"
#include "shell.h"

#define REPORT "report"

/* By instruction, for a report alone; then for the launch as a whole, for a report and a pattern;
 * the section has the shape and the shared memory of the launch. */
static const char *const metrics[] = {
    "inst_executed",
    "thread_inst_executed_true",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
};

static void put_word(FILE *out, const char *word)
{
    bw_arena arena = {NULL};
    fputs(bw_shell_word(&arena, word), out);
    bw_arena_finish(&arena);
}

/* The first launch of each kernel, or of those whose plain name has the part in it. */
static void put_kernels(FILE *out, const char *kernel)
{
    bw_arena arena = {NULL};
    const char *name, *arguments;
    if (!kernel) {
        fputs(":::1", out);
        return;
    }
    bw_kernel_parts(&arena, kernel, &name, &arguments);
    put_word(out, bw_arena_format(&arena, "::regex:%s:1", name));
    bw_arena_finish(&arena);
}

static void put_profiling(FILE *out, const bw_args *args)
{
    fputs("ncu --clock-control none --cache-control none --kernel-id ", out);
    put_kernels(out, args->values[BW_OPTION_KERNEL].text);
    fputs(" \\\n    --section LaunchStats --metrics ", out);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        fprintf(out, "%s%s", i == 0 ? "" : ",\\\n", metrics[i]);
    fputs(" \\\n    -o " REPORT, out);
    for (size_t i = 0; i < args->file_count; i++) {
        fputc(' ', out);
        put_word(out, args->files[i]);
    }
    fputs(args->file_count ? "\n" : " PROGRAM\n", out);
}

void bw_compare_command(const bw_args *args, bw_output *output)
{
    FILE *out = output->file;
    const char *kernel = args->values[BW_OPTION_KERNEL].text;
    put_profiling(out, args);
    fputs("ncu --import " REPORT ".ncu-rep --csv --print-kernel-base mangled --print-units base "
          "--page raw >" REPORT ".csv\n"
          "ncu --import " REPORT ".ncu-rep --csv --print-kernel-base mangled --page source "
          "--print-source sass >>" REPORT ".csv\n"
          "bankwise compare --ncu " REPORT ".csv",
          out);
    if (kernel) {
        fputs(" --kernel ", out);
        put_word(out, kernel);
    }
    fputc('\n', out);
}
