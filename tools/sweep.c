/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* More threads than this gain nothing for texts of this size. */
#define MOST_THREADS 64
/* How often progress is told. */
#define PROGRESS_NS 100000000

/* ---- ranges ---- */

static bool read_integer(const char **text, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(*text, &end, 0);
    bool good = end != *text && errno == 0 && **text != ' ' && **text != '+';
    *value = number;
    *text = end;
    return good;
}

static bool bad_range(const bw_define *define, const char *what)
{
    bw_complain("write -D STRIDE=1:64, or 0:64:4 for every fourth value", "sweep: '%s=%s' %s",
                define->name, define->value, what);
    return false;
}

static bool read_range(const bw_define *define, bw_range *range)
{
    const char *at = define->value;
    *range = (bw_range){.name = define->name, .step = 1};
    if (!read_integer(&at, &range->from) || *at++ != ':' || !read_integer(&at, &range->to))
        return bad_range(define, "is no range of integers");
    if (*at == ':') {
        at++;
        if (!read_integer(&at, &range->step))
            return bad_range(define, "is no range of integers");
    }
    if (*at)
        return bad_range(define, "is no range of integers");
    if (range->step <= 0)
        return bad_range(define, "has a step below 1");
    if (range->to < range->from)
        return bad_range(define, "ends before it begins");
    uint64_t steps = ((uint64_t)range->to - (uint64_t)range->from) / (uint64_t)range->step;
    if (steps >= BW_SWEEP_MAX)
        return bad_range(define, "has too many values");
    range->count = (size_t)steps + 1;
    return true;
}

static bool read_ranges(bw_sweep *sweep, const bw_args *args)
{
    sweep->ranges[1] = (bw_range){.step = 1, .count = 1};
    for (size_t i = 0; i < args->define_count; i++) {
        if (!strchr(args->defines[i].value, ':'))
            continue;
        if (sweep->range_count == 2) {
            bw_complain("give the others one value", "sweep: more than two ranges");
            return false;
        }
        if (!read_range(&args->defines[i], &sweep->ranges[sweep->range_count++]))
            return false;
    }
    sweep->count = sweep->ranges[0].count * sweep->ranges[1].count;
    if (!sweep->range_count)
        bw_complain("give one: -D STRIDE=1:64", "sweep needs a range");
    else if (sweep->count > BW_SWEEP_MAX)
        bw_complain("narrow a range", "sweep: %zu points are more than %d", sweep->count,
                    BW_SWEEP_MAX);
    return sweep->range_count && sweep->count <= BW_SWEEP_MAX;
}

int64_t bw_sweep_value(const bw_sweep *sweep, unsigned which, size_t index)
{
    const bw_range *range = &sweep->ranges[which];
    size_t at = which ? index / sweep->ranges[0].count : index % sweep->ranges[0].count;
    return range->from + (int64_t)at * range->step;
}

bw_exit bw_sweep_open(bw_sweep *sweep, const bw_args *args)
{
    *sweep = (bw_sweep){.args = args, .line = (unsigned)args->values[BW_OPTION_LINE].number};
    if (!read_ranges(sweep, args) || !bw_input_read(&sweep->input, args->files[0]))
        return BW_EXIT_USAGE;
    sweep->points = bw_calloc(sweep->count, sizeof *sweep->points);
    return BW_EXIT_DONE;
}

void bw_sweep_close(bw_sweep *sweep)
{
    bw_input_finish(&sweep->input);
    free(sweep->points);
    bw_arena_finish(&sweep->arena);
}

/* ---- a point ---- */

/* All definitions, the ranges replaced by the point's values. */
static void set_defines(const bw_sweep *sweep, bw_session *session, size_t index)
{
    const bw_args *args = sweep->args;
    bw_define *defines =
        bw_arena_alloc(&session->arena, (args->define_count + 1) * sizeof *defines);
    for (size_t i = 0; i < args->define_count; i++) {
        defines[i] = args->defines[i];
        for (unsigned r = 0; r < sweep->range_count; r++)
            if (strcmp(defines[i].name, sweep->ranges[r].name) == 0)
                defines[i].value =
                    bw_arena_format(&session->arena, "%" PRId64, bw_sweep_value(sweep, r, index));
    }
    session->defines = defines;
    session->define_count = args->define_count;
}

static void add_report(const bw_sweep *sweep, bw_point *point, const bw_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        if (sweep->line && row->access->line != sweep->line)
            continue;
        double requests = bw_report_mean(report, row->sum.requests);
        point->degree = row->degree > point->degree ? row->degree : point->degree;
        point->degree_mean += row->degree_mean * requests;
        point->requests += requests;
        point->wavefronts += bw_report_mean(report, row->sum.wavefronts);
        point->ideal += bw_report_mean(report, row->sum.ideal);
        point->excessive += bw_report_mean(report, bw_counts_excessive(&row->sum));
        point->cycles += bw_report_mean(report, row->sum.cycles);
    }
}

/* What the threads share. */
typedef struct workers {
    bw_sweep *sweep;
    atomic_size_t next, done;
    atomic_bool failed, random;
    atomic_uint bases; /* set of 1u << bw_basis */
} workers;

static bool run_launches(workers *all, bw_session *session, bw_point *point)
{
    const bw_launch *launches;
    size_t count = bw_pattern_launches(session->pattern, &launches);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        bw_report report;
        good = bw_report_make(&report, session, i);
        if (good) {
            add_report(all->sweep, point, &report);
            if (report.count)
                atomic_fetch_or(&all->bases, 1u << report.basis);
            if (report.random)
                all->random = true;
        }
        bw_report_finish(&report);
    }
    return good;
}

static void run_point(workers *all, size_t index, bool show)
{
    bw_sweep *sweep = all->sweep;
    bw_point *point = &sweep->points[index];
    bw_session session = {.args = sweep->args};
    const bw_source *source = &sweep->input.source;
    *point = (bw_point){.done = true};
    bw_input_set(&session.input, source->name, sweep->input.path, source->text, source->len);
    set_defines(sweep, &session, index);
    point->failed = !bw_session_parse(&session) || !run_launches(all, &session, point);
    if (point->requests > 0)
        point->degree_mean /= point->requests;
    if (show)
        bw_session_show(&session);
    bw_session_close(&session);
}

/* ---- all points ---- */

static void *work(void *context)
{
    workers *all = context;
    for (;;) {
        size_t index = all->next++;
        if (index >= all->sweep->count || all->failed)
            return NULL;
        run_point(all, index, false);
        if (all->sweep->points[index].failed)
            all->failed = true;
        all->done++;
    }
}

static size_t thread_count(const bw_sweep *sweep)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = cores > 0 ? (size_t)cores : 1;
    count = count < MOST_THREADS ? count : MOST_THREADS;
    return count < sweep->count ? count : sweep->count;
}

static void watch(workers *all, void (*progress)(size_t, size_t))
{
    struct timespec pause = {0, PROGRESS_NS};
    while (progress && all->done < all->sweep->count && !all->failed) {
        progress(all->done, all->sweep->count);
        nanosleep(&pause, NULL);
    }
}

/* The first point that failed, once more, so that its errors are seen; points after it may not
 * have been reached, those before it are good. */
static void show_failure(workers *all)
{
    bw_sweep *sweep = all->sweep;
    size_t index = 0;
    while (index < sweep->count && !sweep->points[index].failed)
        index++;
    run_point(all, index, true);
    const char *second = sweep->range_count > 1 ? bw_arena_format(&sweep->arena, ", %s=%" PRId64,
                                                                  sweep->ranges[1].name,
                                                                  bw_sweep_value(sweep, 1, index))
                                                : "";
    bw_complain("narrow the range, or let the arrays grow with the parameter",
                "sweep: the pattern fails with %s=%" PRId64 "%s", sweep->ranges[0].name,
                bw_sweep_value(sweep, 0, index), second);
}

bool bw_sweep_run(bw_sweep *sweep, void (*progress)(size_t done, size_t count))
{
    workers all = {.sweep = sweep};
    pthread_t threads[MOST_THREADS];
    size_t wanted = thread_count(sweep), started = 0;
    while (started < wanted && pthread_create(&threads[started], NULL, work, &all) == 0)
        started++;
    if (!started)
        work(&all); /* no threads to be had: alone, then */
    watch(&all, progress);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (progress)
        progress(sweep->count, sweep->count);
    if (all.failed)
        show_failure(&all);
    unsigned bases = all.bases;
    sweep->basis = bases ? (bw_basis)(31 - __builtin_clz(bases)) : BW_BASIS_MEASURED;
    sweep->random = all.random;
    return !all.failed;
}
