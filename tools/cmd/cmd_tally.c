/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "ranks.h"
#include "resume.h"
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

/* Adds what `files` cost. False where anything was wrong with one, which was printed. */
static bool tally_files(const bw_args *args, const char *const *files, size_t count,
                        bw_totals *totals)
{
    bw_tally_problem *problems = bw_calloc(count, sizeof *problems);
    bool watched = isatty(STDERR_FILENO) && !args->values[BW_OPTION_QUIET].given;
    bw_tally_job job = {.arch = args->values[BW_OPTION_ARCH].arch,
                        .files = files,
                        .file_count = count,
                        .threads = thread_count(args),
                        .progress = watched ? show_progress : NULL};
    bool good = bw_tally_run(&job, totals, problems);
    for (size_t i = 0; i < count; i++) {
        if (problems[i].error)
            bw_complain(problems[i].id, problems[i].note, "%s", problems[i].error);
        bw_tally_problem_finish(&problems[i]);
    }
    free(problems);
    return good;
}

/* The same of one file, unless it was finished before; what is finished now is kept. */
static bool tally_again(const bw_args *args, const char *folder, const char *file,
                        bw_totals *totals)
{
    const bw_arch *arch = args->values[BW_OPTION_ARCH].arch;
    bw_totals one = {.rows = NULL};
    if (bw_resume_take(folder, file, arch, totals))
        return true;
    bool good = tally_files(args, &file, 1, &one);
    if (good && !one.overflow)
        good = bw_resume_keep(folder, file, arch, &one);
    bw_totals_merge(totals, &one);
    bw_totals_finish(&one);
    return good;
}

/* The files of this rank, each in its turn or all at once. */
static bool tally_own(const bw_args *args, const bw_ranks *ranks, bw_totals *totals)
{
    const char *folder = args->values[BW_OPTION_RESUME].text;
    const char **own = bw_calloc(args->file_count, sizeof *own);
    size_t count = 0;
    bool good = !folder || bw_resume_begin(folder);
    for (size_t i = ranks->rank; i < args->file_count; i += ranks->count)
        own[count++] = args->files[i];
    if (!folder)
        good = !count || tally_files(args, own, count, totals);
    for (size_t i = 0; folder && good && i < count; i++)
        good = tally_again(args, folder, own[i], totals);
    free(own);
    return good;
}

/* Rank 0 gets the totals of all. */
static bool gather(const bw_args *args, const bw_ranks *ranks, bw_totals *totals)
{
    const bw_arch *arch = args->values[BW_OPTION_ARCH].arch;
    size_t len, *lens = bw_calloc(ranks->count, sizeof *lens);
    char *text = bw_tally_json(totals, arch, &len);
    char **texts = bw_calloc(ranks->count, sizeof *texts);
    bool good = true;
    bw_ranks_gather(ranks, text, len, texts, lens);
    free(text);
    for (unsigned r = 1; r < ranks->count && !ranks->rank; r++)
        good = bw_tally_read("what a rank sent", texts[r], lens[r], arch, totals) && good;
    for (unsigned r = 0; r < ranks->count; r++)
        free(texts[r]);
    free(texts);
    free(lens);
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

/* Writes what there is, after an error too: what was read before it stays. A sum of some of the
 * tallies to be merged would be none. */
static bw_exit write_totals(const bw_args *args, bw_output *output, bw_totals *totals, bool good)
{
    bool merge = args->values[BW_OPTION_MERGE].given;
    if (totals->overflow) {
        bw_complain(BW_MSG_TOO_MANY_REQUESTS, "tally fewer files at once",
                    "more requests than can be counted");
        good = false;
    }
    bool keep = good || (!merge && totals->count && !totals->overflow);
    bw_tally_writer writer = {.out = output->file,
                              .width = output->width,
                              .colour = output->colour,
                              .quiet = args->values[BW_OPTION_QUIET].given,
                              .format = (bw_format)args->values[BW_OPTION_FORMAT].number};
    bw_totals_sort(totals);
    if (keep)
        bw_tally_write(&writer, totals, args->values[BW_OPTION_ARCH].arch);
    return bw_output_close(output, keep, good ? BW_EXIT_DONE : BW_EXIT_USAGE);
}

static bool is_consistent(const bw_args *args, const bw_ranks *ranks)
{
    const bw_value *values = args->values;
    for (size_t i = 0; i < args->file_count && ranks->count > 1; i++)
        if (strcmp(args->files[i], "-") == 0) {
            if (!ranks->rank)
                bw_complain(BW_MSG_OPTION_CONFLICT, "name files that all ranks can read",
                            "standard input with several ranks");
            return false;
        }
    if (!values[BW_OPTION_MERGE].given || !values[BW_OPTION_RESUME].given)
        return true;
    if (!ranks->rank)
        bw_complain(BW_MSG_OPTION_CONFLICT, "leave one of them out", "--merge with --resume");
    return false;
}

/* All ranks go through here together; the first alone writes, and merges. */
static bw_exit tally(const bw_args *args, const bw_ranks *ranks)
{
    bw_output output;
    bw_totals totals = {.rows = NULL};
    bool first = ranks->rank == 0, merge = args->values[BW_OPTION_MERGE].given;
    bool ready = !first || bw_output_open(&output, args);
    if (bw_ranks_most(ranks, !ready))
        return BW_EXIT_USAGE;
    bool good = true;
    if (!merge)
        good = tally_own(args, ranks, &totals);
    else if (first)
        good = merge_files(args, &totals);
    if (ranks->count > 1)
        good = gather(args, ranks, &totals) && good;
    int bad = bw_ranks_most(ranks, !good);
    bw_exit code = bad ? BW_EXIT_USAGE : BW_EXIT_DONE;
    if (first)
        code = write_totals(args, &output, &totals, !bad);
    bw_totals_finish(&totals);
    return (bw_exit)bw_ranks_most(ranks, (int)code);
}

bw_exit bw_run_tally(const bw_args *args)
{
    bw_ranks ranks = bw_ranks_begin();
    bw_exit code = is_consistent(args, &ranks) ? tally(args, &ranks) : BW_EXIT_USAGE;
    bw_ranks_end(&ranks);
    return code;
}
