/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "session.h"
#include "tally_report.h"
#include "tally_run.h"

/* A tally in JSON is small: a row for each instruction. */
#define MOST_MERGED ((size_t)1 << 30)

/* ---- progress ---- */

static void show_progress(const bw_tally_progress *at, bool last)
{
    double rate = at->seconds > 0 ? (double)at->requests / at->seconds : 0;
    if (last) {
        fprintf(stderr, "\r%*s\r", 78, "");
        return;
    }
    fprintf(stderr, "\r%.1f million requests, %.2f million a second", (double)at->requests / 1e6,
            rate / 1e6);
    if (at->of && at->bytes && at->bytes <= at->of)
        fprintf(stderr, ", %2.0f%%, %.0f s left  ", 100.0 * (double)at->bytes / (double)at->of,
                at->seconds * (double)(at->of - at->bytes) / (double)at->bytes);
    fflush(stderr);
}

/* ---- reading ---- */

static unsigned thread_count(const bw_args *args)
{
    const bw_value *jobs = &args->values[BW_OPTION_JOBS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (jobs->given)
        return (unsigned)jobs->number;
    return cores < 1                             ? 1
           : cores > (long)BW_TALLY_MOST_THREADS ? BW_TALLY_MOST_THREADS
                                                 : (unsigned)cores;
}

static bool tally_files(const bw_args *args, bw_totals *totals)
{
    bw_tally_problem *problems = bw_calloc(args->file_count, sizeof *problems);
    bool watched = isatty(STDERR_FILENO) && !args->values[BW_OPTION_QUIET].given;
    bw_tally_job job = {.arch = args->values[BW_OPTION_ARCH].arch,
                        .files = args->files,
                        .file_count = args->file_count,
                        .threads = thread_count(args),
                        .progress = watched ? show_progress : NULL};
    bool good = bw_tally_run(&job, totals, problems);
    for (size_t i = 0; i < args->file_count; i++) {
        if (problems[i].error)
            bw_complain(problems[i].id, problems[i].note, "%s", problems[i].error);
        bw_tally_problem_finish(&problems[i]);
    }
    free(problems);
    return good;
}

static bool merge_files(const bw_args *args, bw_totals *totals)
{
    bool good = true;
    for (size_t i = 0; i < args->file_count; i++) {
        size_t len = 0;
        char *text = bw_file_read(args->files[i], MOST_MERGED, &len);
        if (!text)
            bw_complain_of(BW_MSG_CANNOT_READ, NULL, "read", args->files[i], errno);
        good =
            text &&
            bw_tally_read(args->files[i], text, len, args->values[BW_OPTION_ARCH].arch, totals) &&
            good;
        free(text);
    }
    return good;
}

/* ---- the command ---- */

bw_exit bw_run_tally(const bw_args *args)
{
    bw_output output;
    bw_totals totals = {.rows = NULL};
    if (!bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    bool merge = args->values[BW_OPTION_MERGE].given;
    bool good = merge ? merge_files(args, &totals) : tally_files(args, &totals);
    if (totals.overflow) {
        bw_complain(BW_MSG_TOO_MANY_REQUESTS, "tally fewer files at once",
                    "more requests than can be counted");
        good = false;
    }
    bw_totals_sort(&totals);
    bw_tally_writer writer = {.out = output.file,
                              .width = output.width,
                              .colour = output.colour,
                              .quiet = args->values[BW_OPTION_QUIET].given,
                              .format = (bw_format)args->values[BW_OPTION_FORMAT].number};
    /* What was read before an error stays; a sum of half of the tallies would be none. */
    bool keep = good || (!merge && totals.count && !totals.overflow);
    if (keep)
        bw_tally_write(&writer, &totals, args->values[BW_OPTION_ARCH].arch);
    bw_totals_finish(&totals);
    return bw_output_close(&output, keep, good ? BW_EXIT_DONE : BW_EXIT_USAGE);
}
