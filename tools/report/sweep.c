/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep.h"

#include <ctype.h>
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

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool bad_range(const bw_define *define, const char *what)
{
    bw_complain(BW_MSG_SWEEP_RANGE,
                "write -D STRIDE=1:64, or 0:64:4 for every fourth value, or a list: 8,16,32",
                "sweep: '%s=%s' %s", define->name, define->value, what);
    return false;
}

static bool too_many(const bw_define *define)
{
    bw_complain(BW_MSG_SWEEP_POINTS, "narrow it, or take steps: -D STRIDE=0:64:4",
                "sweep: '%s=%s' has too many values: more than %d", define->name, define->value,
                BW_SWEEP_MAX);
    return false;
}

/* One item of a list: N, FROM:TO or FROM:TO:STEP, up to the next comma. */
static bool read_item(const bw_define *define, const char **at, bw_range *item)
{
    *item = (bw_range){.step = 1};
    bool good = read_integer(at, &item->from);
    item->to = item->from;
    if (good && **at == ':') {
        ++*at;
        good = read_integer(at, &item->to);
    }
    if (good && **at == ':') {
        ++*at;
        good = read_integer(at, &item->step);
    }
    if (!good || (**at && **at != ','))
        return bad_range(define, "is no range or list of integers");
    if (item->step <= 0)
        return bad_range(define, "has a step below 1");
    if (item->to < item->from)
        return bad_range(define, "ends before it begins");
    uint64_t steps = ((uint64_t)item->to - (uint64_t)item->from) / (uint64_t)item->step;
    item->count = (size_t)(steps < BW_SWEEP_MAX ? steps + 1 : BW_SWEEP_MAX + 1);
    return item->count <= BW_SWEEP_MAX || too_many(define);
}

static void add_item(bw_range *range, const bw_range *item)
{
    range->values = bw_realloc(range->values, (range->count + item->count) * sizeof(int64_t));
    for (size_t i = 0; i < item->count; i++)
        range->values[range->count++] = item->from + (int64_t)i * item->step;
    range->from = item->from < range->from ? item->from : range->from;
    range->to = item->to > range->to ? item->to : range->to;
}

static bool has_value_twice(const bw_range *range)
{
    int64_t *sorted = bw_alloc(range->count * sizeof *sorted);
    bool twice = false;
    memcpy(sorted, range->values, range->count * sizeof *sorted);
    qsort(sorted, range->count, sizeof *sorted, compare_values);
    for (size_t i = 1; i < range->count; i++)
        twice |= sorted[i] == sorted[i - 1];
    free(sorted);
    return twice;
}

static bool read_range(const bw_define *define, bw_range *range)
{
    const char *at = define->value;
    bw_range item;
    *range = (bw_range){.name = define->name, .from = INT64_MAX, .to = INT64_MIN};
    for (;;) {
        if (!read_item(define, &at, &item))
            return false;
        if (range->count + item.count > BW_SWEEP_MAX)
            return too_many(define);
        bool only = range->count == 0 && !*at && strchr(define->value, ':');
        add_item(range, &item);
        if (only)
            range->step = item.step;
        if (!*at)
            break;
        at++;
    }
    if (!has_value_twice(range))
        return true;
    return bad_range(define, "has a value twice");
}

static bool add_range(bw_sweep *sweep, const bw_define *define, const char *target)
{
    if (sweep->range_count == 2) {
        bw_complain(BW_MSG_SWEEP_RANGE, "give the others one value", "sweep: more than two ranges");
        return false;
    }
    bw_range *range = &sweep->ranges[sweep->range_count++];
    bool good = read_range(define, range);
    range->target = target;
    return good;
}

static bool read_ranges(bw_sweep *sweep, const bw_args *args)
{
    sweep->ranges[0].count = sweep->ranges[1].count = 1;
    for (size_t i = 0; i < args->define_count; i++)
        if (strpbrk(args->defines[i].value, ":,") &&
            !add_range(sweep, &args->defines[i], args->defines[i].name))
            return false;
    for (size_t i = 0; i < args->argument_count; i++) {
        const bw_argument *a = &args->arguments[i];
        const char *name = isdigit((unsigned char)a->target[0])
                               ? bw_arena_format(&sweep->arena, "arg %s", a->target)
                               : a->target;
        if (bw_is_range(a->value) && !add_range(sweep, &(bw_define){name, a->value}, a->target))
            return false;
    }
    sweep->count = sweep->ranges[0].count * sweep->ranges[1].count;
    if (!sweep->range_count)
        bw_complain(BW_MSG_SWEEP_RANGE, "give one: -D STRIDE=1:64, or --arg n=1:64",
                    "sweep needs a range");
    else if (sweep->count > BW_SWEEP_MAX)
        bw_complain(BW_MSG_SWEEP_POINTS, "narrow a range", "sweep: %zu points are more than %d",
                    sweep->count, BW_SWEEP_MAX);
    return sweep->range_count && sweep->count <= BW_SWEEP_MAX;
}

int64_t bw_sweep_value(const bw_sweep *sweep, unsigned which, size_t index)
{
    const bw_range *range = &sweep->ranges[which];
    size_t at = which ? index / sweep->ranges[0].count : index % sweep->ranges[0].count;
    return range->values ? range->values[at] : 0;
}

/* A binary becomes the text of its machine code once, for all points. */
static bool take_binary(bw_sweep *sweep)
{
    bw_session *opened = &sweep->opened;
    *opened = (bw_session){.args = sweep->args, .input = sweep->input};
    bool good = bw_session_take_binary(opened);
    sweep->input = opened->input;
    opened->input = (bw_input){.path = NULL};
    bw_session_show(opened);
    return good;
}

bw_exit bw_sweep_open(bw_sweep *sweep, const bw_args *args)
{
    *sweep = (bw_sweep){.args = args,
                        .line = args->values[BW_OPTION_LINE].text,
                        .keep_going = args->values[BW_OPTION_KEEP_GOING].given};
    if (!read_ranges(sweep, args) || !bw_input_open(&sweep->input, args->files[0]) ||
        !take_binary(sweep))
        return BW_EXIT_USAGE;
    sweep->points = bw_calloc(sweep->count, sizeof *sweep->points);
    return BW_EXIT_DONE;
}

void bw_sweep_close(bw_sweep *sweep)
{
    bw_input_finish(&sweep->input);
    bw_session_close(&sweep->opened);
    free(sweep->points);
    free(sweep->ranges[0].values);
    free(sweep->ranges[1].values);
    bw_arena_finish(&sweep->arena);
}

/* ---- a point ---- */

/* The value of a definition or argument at the point: its own where it is not swept. */
static const char *value_at(const bw_sweep *sweep, bw_arena *arena, const char *target,
                            const char *value, size_t index)
{
    for (unsigned r = 0; r < sweep->range_count; r++)
        if (sweep->ranges[r].target == target)
            return bw_arena_format(arena, "%" PRId64, bw_sweep_value(sweep, r, index));
    return value;
}

/* All definitions and arguments, the ranges replaced by the point's values. */
static void set_values(const bw_sweep *sweep, bw_session *session, size_t index)
{
    const bw_args *args = sweep->args;
    bw_arena *arena = &session->arena;
    bw_define *defines = bw_arena_alloc(arena, (args->define_count + 1) * sizeof *defines);
    bw_argument *arguments = bw_arena_alloc(arena, (args->argument_count + 1) * sizeof *arguments);
    for (size_t i = 0; i < args->define_count; i++) {
        const bw_define *d = &args->defines[i];
        defines[i] = (bw_define){d->name, value_at(sweep, arena, d->name, d->value, index)};
    }
    for (size_t i = 0; i < args->argument_count; i++) {
        const bw_argument *a = &args->arguments[i];
        arguments[i] =
            (bw_argument){a->target, value_at(sweep, arena, a->target, a->value, index), a->order};
    }
    session->defines = defines;
    session->define_count = args->define_count;
    session->arguments = arguments;
}

static void add_report(bw_point *point, const bw_report *report)
{
    unsigned line = bw_session_line(report->session);
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        if (line && row->access->line != line)
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
    size_t count = bw_program_launches(session->program, &launches);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        bw_report report;
        good = bw_report_make(&report, session, i);
        if (good) {
            add_report(point, &report);
            if (report.count)
                atomic_fetch_or(&all->bases, 1u << report.basis);
            if (report.random)
                all->random = true;
        }
        bw_report_finish(&report);
    }
    return good;
}

/* False where the pattern could not even be parsed. */
static bool run_point(workers *all, size_t index, bool show)
{
    bw_sweep *sweep = all->sweep;
    bw_point *point = &sweep->points[index];
    bw_session session = {
        .args = sweep->args, .cubin = sweep->opened.cubin, .beside = sweep->opened.beside};
    const bw_source *source = &sweep->input.source;
    *point = (bw_point){.done = true};
    bw_input_set(&session.input, source->name, sweep->input.path, source->text, source->len);
    set_values(sweep, &session, index);
    bool parsed = bw_session_parse(&session);
    if (!parsed || !run_launches(all, &session, point))
        *point = (bw_point){.done = true, .failed = true};
    if (point->requests > 0)
        point->degree_mean /= point->requests;
    point->arch = session.program ? session.program->arch : NULL;
    if (show)
        bw_session_show(&session);
    bw_session_close(&session);
    return parsed;
}

const bw_arch *bw_sweep_arch(const bw_sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->points[i].arch)
            return sweep->points[i].arch;
    return sweep->args->values[BW_OPTION_ARCH].arch;
}

/* ---- all points ---- */

static void *work(void *context)
{
    workers *all = context;
    for (;;) {
        size_t index = all->next++;
        if (index >= all->sweep->count || (all->failed && !all->sweep->keep_going))
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
    while (progress && all->done < all->sweep->count && (!all->failed || all->sweep->keep_going)) {
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
    bool parsed = run_point(all, index, true);
    const char *second = sweep->range_count > 1 ? bw_arena_format(&sweep->arena, ", %s=%" PRId64,
                                                                  sweep->ranges[1].name,
                                                                  bw_sweep_value(sweep, 1, index))
                                                : "";
    const char *others = !sweep->keep_going || sweep->failed < 2
                             ? ""
                             : bw_arena_format(&sweep->arena, ", and with %zu other%s",
                                               sweep->failed - 1, sweep->failed > 2 ? "s" : "");
    bw_complain(BW_MSG_SWEEP_FAILS,
                !parsed             ? NULL
                : sweep->keep_going ? "narrow the range, or let the arrays grow with the parameter"
                                    : "narrow the range, or let the arrays grow with the "
                                      "parameter; --keep-going shows the other values",
                "sweep: the pattern fails with %s=%" PRId64 "%s%s", sweep->ranges[0].name,
                bw_sweep_value(sweep, 0, index), second, others);
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
    for (size_t i = 0; i < sweep->count; i++)
        sweep->failed += sweep->points[i].failed;
    if (all.failed)
        show_failure(&all);
    unsigned bases = all.bases;
    sweep->basis = bases ? (bw_basis)(31 - __builtin_clz(bases)) : BW_BASIS_MEASURED;
    sweep->random = all.random;
    return !all.failed || (sweep->keep_going && sweep->failed < sweep->count);
}
