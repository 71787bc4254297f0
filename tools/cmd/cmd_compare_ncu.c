/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare --ncu: what Nsight Compute counted of a kernel against what is predicted for its pattern.
 *
 * Launches of the report and of the pattern are paired by the kernel's name, then by shape, then by
 * template arguments, then in order. Counters are compared one by one; which of them are exact, and
 * what the others count besides, is in the table below, with its source.
 */
#define _GNU_SOURCE /* memmem */
#include "comparison.h"
#include "profiled.h"
#include "report.h"
#include "wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which requests a counter covers. */
typedef enum scope { SCOPE_ALL, SCOPE_LOADS, SCOPE_STORES } scope;

typedef enum quantity {
    QUANTITY_WAVEFRONTS,
    QUANTITY_CONFLICTS,
    QUANTITY_REQUESTS,
    QUANTITY_SASS_WAVEFRONTS,
    QUANTITY_SASS_IDEAL,
    QUANTITY_SASS_EXCESS
} quantity;

/* How a counter behaves beside what is predicted. */
typedef enum nature {
    NATURE_EXACT,   /* counts what is predicted and nothing else */
    NATURE_STARTUP, /* and 1 to 5 wavefronts for each warp that is launched, and arbitration */
    NATURE_BUSY,    /* and arbitration with global memory, which has nothing to do with banks */
    NATURE_ISSUED,  /* and instructions that a predicate switches off for all lanes */
} nature;

/*
 * Start-up and arbitration of the hardware's counters were measured on an H200 with kernels that
 * have no shared access (start-up) and that also use global memory (arbitration); that instructions
 * count whose lanes are all off, here and with a wavefront each in the sum of wavefronts, with the
 * kernels of tests/recorded/sm_90-h200/ncu-kernels.csv.
 */
static const struct counter {
    const char *name;
    scope of;
    quantity what;
    nature nature;
} counters[] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", SCOPE_ALL, QUANTITY_WAVEFRONTS,
     NATURE_STARTUP},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", SCOPE_LOADS, QUANTITY_WAVEFRONTS,
     NATURE_BUSY},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", SCOPE_STORES, QUANTITY_WAVEFRONTS,
     NATURE_BUSY},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", SCOPE_ALL, QUANTITY_CONFLICTS,
     NATURE_BUSY},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", SCOPE_LOADS, QUANTITY_CONFLICTS,
     NATURE_BUSY},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", SCOPE_STORES, QUANTITY_CONFLICTS,
     NATURE_BUSY},
    {"memory_l1_wavefronts_shared", SCOPE_ALL, QUANTITY_SASS_WAVEFRONTS, NATURE_EXACT},
    {"memory_l1_wavefronts_shared_ideal", SCOPE_ALL, QUANTITY_SASS_IDEAL, NATURE_EXACT},
    {"derived__memory_l1_wavefronts_shared_excessive", SCOPE_ALL, QUANTITY_SASS_EXCESS,
     NATURE_EXACT},
    {"smsp__inst_executed_op_shared_ld.sum", SCOPE_LOADS, QUANTITY_REQUESTS, NATURE_ISSUED},
    {"smsp__inst_executed_op_shared_st.sum", SCOPE_STORES, QUANTITY_REQUESTS, NATURE_ISSUED},
    {"smsp__sass_inst_executed_op_shared_ld.sum", SCOPE_LOADS, QUANTITY_REQUESTS, NATURE_ISSUED},
    {"smsp__sass_inst_executed_op_shared_st.sum", SCOPE_STORES, QUANTITY_REQUESTS, NATURE_ISSUED},
};
#define COUNTERS (sizeof counters / sizeof *counters)

typedef enum verdict { VERDICT_MATCH, VERDICT_OVER, VERDICT_UNDER, VERDICT_UNMEASURED } verdict;

static const char *const verdict_names[] = {[VERDICT_MATCH] = "MATCH",
                                            [VERDICT_OVER] = "OVER",
                                            [VERDICT_UNDER] = "UNDER",
                                            [VERDICT_UNMEASURED] = "UNMEASURED"};
_Static_assert(sizeof verdict_names / sizeof *verdict_names == VERDICT_UNMEASURED + 1,
               "a name for each");

typedef struct compared {
    bool has_predicted;
    double predicted;
    const bw_metric *metric;
    verdict verdict;
    const char *why;
    bool finding;
} compared;

/* A launch of the report with the launch of the pattern that it is compared with. */
typedef struct pairing {
    const bw_profiled *profiled;
    const bw_report *report;
    const char *note;
    double off; /* instructions that ran with all lanes off; 0 where the report does not say */
    compared counters[COUNTERS];
} pairing;

typedef struct ncu {
    const bw_args *args; /* `own`: the caller's, with the profiled card's architecture */
    bw_args own;
    const char *arch_note; /* NULL: nothing to say of it */
    bw_session session;
    bw_input input;
    bw_profile profile;
    bw_report *reports; /* one a launch of the pattern */
    size_t report_count;
    pairing *pairs;
    size_t pair_count;
    bw_arena arena;
    bool finding;
} ncu;

/* ---- predictions ---- */

static bool in_scope(scope of, const bw_op_info *op)
{
    switch (of) {
    case SCOPE_LOADS: return op->reads && !op->writes;
    case SCOPE_STORES: return op->writes && !op->reads && !op->copies;
    default: return true;
    }
}

/* Why the counter cannot be predicted for a launch that has such an access; NULL where it can. */
static const char *unpredicted(const struct counter *counter, const bw_report_row *row)
{
    const bw_op_info *op = bw_op_get(row->worst.op);
    bool sass = counter->what >= QUANTITY_SASS_WAVEFRONTS, all = counter->of == SCOPE_ALL;
    if (sass && row->sum.ncu_inexact)
        return "the profiler's arithmetic is not known for some requests";
    if (op->kind == BW_KIND_ASYNC_CG && all && !sass)
        return "what it counts of cp.async.16 is not settled";
    if (op->kind == BW_KIND_CAS_LOOP && counter->of == SCOPE_LOADS)
        return "loops of compare-and-swap load too";
    if (counter->what == QUANTITY_REQUESTS && op->matrices && in_scope(counter->of, op))
        return "whether it counts matrix instructions is not documented";
    return NULL;
}

static double quantity_of(const bw_counts *sum, quantity what)
{
    switch (what) {
    case QUANTITY_WAVEFRONTS: return (double)sum->ncu_wavefronts;
    case QUANTITY_CONFLICTS: return (double)sum->ncu_conflicts;
    case QUANTITY_REQUESTS: return (double)sum->requests;
    case QUANTITY_SASS_WAVEFRONTS: return (double)sum->ncu_sass_wavefronts;
    case QUANTITY_SASS_IDEAL: return (double)sum->ncu_sass_ideal;
    case QUANTITY_SASS_EXCESS:
        return (double)sum->ncu_sass_wavefronts - (double)sum->ncu_sass_ideal;
    }
    return 0;
}

static void predict(const bw_report *report, const struct counter *counter, compared *to)
{
    to->has_predicted = true;
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        const char *why = unpredicted(counter, row);
        if (why) {
            to->has_predicted = false;
            to->why = why;
        }
        if (in_scope(counter->of, bw_op_get(row->worst.op)))
            to->predicted += quantity_of(&row->sum, counter->what);
    }
    to->predicted /= report->trials;
}

/* ---- verdicts ---- */

static double warps_of(const bw_launch *launch)
{
    double threads = (double)launch->block[0] * launch->block[1] * launch->block[2];
    double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    return ceil(threads / BW_LANES) * blocks;
}

/* The most wavefronts of start-up of a warp that were seen. */
#define STARTUP_MOST 5

/* "12 instructions with all lanes off and ", or nothing. */
static const char *off_text(ncu *all, double off)
{
    return off > 0 ? bw_arena_format(&all->arena, "%.10g instructions with all lanes off and ", off)
                   : "";
}

/* More was measured than predicted: what else such a counter counts, and whether that explains it.
 */
static void judge_under(ncu *all, const pairing *pair, const struct counter *counter, compared *to)
{
    double more = to->metric->value - to->predicted, warps = warps_of(pair->report->launch);
    double part = to->predicted > 0 ? 100 * more / to->predicted : 100;
    double startup = more - pair->off;
    to->verdict = VERDICT_UNDER;
    switch (counter->nature) {
    case NATURE_EXACT:
        to->finding = true;
        to->why = bw_arena_format(&all->arena, "%.10g more than predicted", more);
        break;
    case NATURE_ISSUED:
        to->why = bw_arena_format(&all->arena,
                                  "%.10g more; it also counts instructions that a predicate "
                                  "switches off for all lanes, which touch no bank",
                                  more);
        break;
    case NATURE_STARTUP:
        if (startup >= warps && startup <= STARTUP_MOST * warps) {
            to->verdict = VERDICT_MATCH;
            to->why = bw_arena_format(&all->arena,
                                      "%.0f more are %sthe start-up of %.0f warps, 1 to %d each",
                                      more, off_text(all, pair->off), warps, STARTUP_MOST);
            break;
        }
        to->why = bw_arena_format(&all->arena,
                                  "%.10g more (%.1f%%); the counter also sees %sthe start-up of "
                                  "warps and lost arbitration with global memory, which have "
                                  "nothing to do with banks",
                                  more, part, off_text(all, pair->off));
        break;
    case NATURE_BUSY:
        to->why = bw_arena_format(&all->arena,
                                  "%.10g more (%.1f%%); the counter also sees lost arbitration "
                                  "with global memory, which has nothing to do with banks",
                                  more, part);
    }
}

static void judge(ncu *all, const pairing *pair, const struct counter *counter, compared *to)
{
    const bw_metric *metric = to->metric;
    double scale = fmax(1, fabs(to->predicted));
    to->verdict = VERDICT_UNMEASURED;
    if (!metric->text)
        to->why = "not in the report";
    else if (!metric->known)
        to->why = metric->why;
    else if (!to->has_predicted)
        return;
    else if (pair->report->random && fabs(metric->value - to->predicted) > 1e-9 * scale)
        to->why = "the pattern is random: the prediction is a mean";
    else if (fabs(metric->value - to->predicted) <= 1e-9 * scale)
        to->verdict = VERDICT_MATCH;
    else if (metric->value > to->predicted)
        judge_under(all, pair, counter, to);
    else {
        to->verdict = VERDICT_OVER;
        to->finding = true;
        to->why = bw_arena_format(&all->arena, "%.10g less than predicted",
                                  to->predicted - metric->value);
    }
}

/* Loads and stores that the report counts beyond those that have a lane on. */
static double all_off(const pairing *pair)
{
    double sum = 0;
    for (size_t i = 0; i < COUNTERS; i++) {
        const compared *to = &pair->counters[i];
        if (strncmp(counters[i].name, "smsp__inst_executed_op_shared_", 30) != 0)
            continue;
        if (!to->metric->text || !to->metric->known || !to->has_predicted || pair->report->random)
            return 0;
        sum += to->metric->value - to->predicted;
    }
    return sum > 0 ? sum : 0;
}

static void compare_pair(ncu *all, pairing *pair)
{
    for (size_t i = 0; i < COUNTERS; i++) {
        pair->counters[i].metric = &pair->profiled->metrics[i];
        predict(pair->report, &counters[i], &pair->counters[i]);
    }
    pair->off = all_off(pair);
    for (size_t i = 0; i < COUNTERS; i++) {
        judge(all, pair, &counters[i], &pair->counters[i]);
        all->finding |= pair->counters[i].finding;
    }
}

/* ---- pairing ---- */

static bool same_shape(const bw_profiled *profiled, const bw_launch *launch)
{
    return (!profiled->has_block ||
            memcmp(profiled->block, launch->block, sizeof launch->block) == 0) &&
           (!profiled->has_grid || memcmp(profiled->grid, launch->grid, sizeof launch->grid) == 0);
}

/* How well a launch of the pattern fits one of the report; 0: another kernel. */
static unsigned fit_of(ncu *all, const bw_profiled *profiled, const bw_launch *launch)
{
    const char *name, *arguments;
    if (!launch->kernel)
        return 0;
    bw_kernel_parts(&all->arena, launch->kernel, &name, &arguments);
    if (strcmp(name, profiled->name) != 0)
        return 0;
    return 1 + 2 * same_shape(profiled, launch) + (strcmp(arguments, profiled->arguments) == 0);
}

/* Launches of the report before `index` that look the same: the pattern's are taken in order. */
static size_t alike_before(const ncu *all, size_t index)
{
    const bw_profiled *at = &all->profile.launches[index];
    size_t count = 0;
    for (size_t i = 0; i < index; i++) {
        const bw_profiled *other = &all->profile.launches[i];
        count += strcmp(other->kernel, at->kernel) == 0 &&
                 memcmp(other->block, at->block, sizeof at->block) == 0 &&
                 memcmp(other->grid, at->grid, sizeof at->grid) == 0;
    }
    return count;
}

/* Whether all launches of the report are of one kernel. */
static bool one_kernel(const bw_profile *profile)
{
    for (size_t i = 1; i < profile->count; i++)
        if (strcmp(profile->launches[i].kernel, profile->launches[0].kernel) != 0)
            return false;
    return true;
}

/* The pattern's launch for the report's launch `index`, or NULL. */
static const bw_report *find_report(ncu *all, size_t index, const char **note)
{
    const bw_profiled *profiled = &all->profile.launches[index];
    unsigned best = 0;
    size_t count = 0, nth = alike_before(all, index);
    for (size_t i = 0; i < all->report_count; i++) {
        unsigned fit = fit_of(all, profiled, all->reports[i].launch);
        count = fit > best ? 1 : fit == best ? count + 1 : count;
        best = fit > best ? fit : best;
    }
    if (best == 0) {
        if (all->report_count != 1 || !one_kernel(&all->profile))
            return NULL;
        *note = bw_arena_format(&all->arena,
                                "the pattern's only launch is compared with the report's only "
                                "kernel, %s, although their names differ",
                                profiled->kernel);
        return &all->reports[0];
    }
    for (size_t i = 0, left = nth % count; i < all->report_count; i++)
        if (fit_of(all, profiled, all->reports[i].launch) == best && left-- == 0)
            return &all->reports[i];
    return NULL;
}

static const char *shape_text(bw_arena *arena, const uint32_t shape[3])
{
    return bw_arena_format(arena, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, shape[0], shape[1], shape[2]);
}

/* Counts of another launch shape are other counts. */
static bool check_shape(ncu *all, const pairing *pair)
{
    const bw_launch *launch = pair->report->launch;
    const bw_profiled *profiled = pair->profiled;
    if (same_shape(profiled, launch))
        return true;
    bool block =
        profiled->has_block && memcmp(profiled->block, launch->block, sizeof launch->block) != 0;
    const char *note = bw_arena_format(
        &all->arena, "give --%s %s, or change the launch in the pattern", block ? "block" : "grid",
        shape_text(&all->arena, block ? profiled->block : profiled->grid));
    bw_complain(BW_MSG_PROFILE_LAUNCH, note,
                "%s:%u: %s was profiled with block %s, grid %s; the pattern has block %s, "
                "grid %s",
                all->input.source.name, profiled->line, profiled->name,
                shape_text(&all->arena, profiled->block), shape_text(&all->arena, profiled->grid),
                shape_text(&all->arena, launch->block), shape_text(&all->arena, launch->grid));
    return false;
}

static bool nothing_paired(ncu *all)
{
    const char *names = "";
    for (size_t i = 0; i < all->profile.count; i++) {
        const char *name = all->profile.launches[i].name;
        if (!strstr(names, name))
            names = bw_arena_format(&all->arena, "%s%s%s", names, *names ? ", " : "", name);
    }
    bw_complain(BW_MSG_PROFILE_KERNEL,
                bw_arena_format(&all->arena, "the report has: %.300s", names),
                "no launch in %s is of a kernel in %s", all->input.source.name,
                all->session.input.source.name);
    return false;
}

static bool pair_launches(ncu *all)
{
    all->pairs = bw_calloc(all->profile.count, sizeof *all->pairs);
    for (size_t i = 0; i < all->profile.count; i++) {
        pairing *pair = &all->pairs[all->pair_count];
        *pair = (pairing){.profiled = &all->profile.launches[i]};
        pair->report = find_report(all, i, &pair->note);
        if (!pair->report)
            continue;
        if (!check_shape(all, pair))
            return false;
        compare_pair(all, pair);
        all->pair_count++;
    }
    return all->pair_count || nothing_paired(all);
}

/* ---- the document ---- */

static void put_number_or_null(bw_node *to, const char *name, bool known, double value)
{
    if (known)
        bw_put_number(to, name, value);
    else
        bw_put_null(to, name);
}

static void put_counters(bw_node *parent, const pairing *pair)
{
    bw_node *array = bw_put_array(parent, "counters");
    for (size_t i = 0; i < COUNTERS; i++) {
        const compared *at = &pair->counters[i];
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(to, BW_M("name", counters[i].name), BW_M("verdict", verdict_names[at->verdict]));
        put_number_or_null(to, "predicted", at->has_predicted, at->predicted);
        put_number_or_null(to, "measured", at->metric->known, at->metric->value);
        bw_put_bool(to, "finding", at->finding);
        bw_put_text(to, "why", at->why);
    }
}

static void put_shape_or_null(bw_node *to, const char *name, bool known, const uint32_t shape[3])
{
    if (known)
        bw_put_shape(to, name, shape);
    else
        bw_put_null(to, name);
}

static void put_pair(bw_node *parent, const ncu *all, const pairing *pair)
{
    const bw_profiled *profiled = pair->profiled;
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("id", profiled->id), BW_M("kernel", profiled->kernel),
           BW_M("line", profiled->line));
    put_shape_or_null(to, "block", profiled->has_block, profiled->block);
    put_shape_or_null(to, "grid", profiled->has_grid, profiled->grid);
    BW_PUT(to, BW_M("note", pair->note), BW_M("pattern_launch", pair->report->launch_index + 1),
           BW_M("pattern_kernel", pair->report->launch->kernel));
    put_counters(to, pair);
    bw_put_text(to, ".report", all->input.source.name); /* for CSV, in which a launch is alone */
    bw_put_text(to, ".pattern", all->session.input.source.name);
}

static bw_node *document_of(ncu *all)
{
    bw_node *document = bw_node_object(&all->arena);
    BW_PUT(document, BW_M("schema", "bankwise.ncu/1"), BW_M("report", all->input.source.name),
           BW_M("page", bw_profile_page_name(all->profile.page)),
           BW_M("pattern", all->session.input.source.name),
           BW_M("arch", all->args->values[BW_OPTION_ARCH].arch->name),
           BW_M("note", all->arch_note));
    bw_node *launches = bw_put_array(document, "launches");
    for (size_t i = 0; i < all->pair_count; i++)
        put_pair(launches, all, &all->pairs[i]);
    bw_put_integer(document, "other_launches", (int64_t)(all->profile.count - all->pair_count));
    bw_put_bool(document, "passed", !all->finding);
    return document;
}

/* ---- text ---- */

static const bw_field columns[] = {
    BW_FIELD("verdict", "verdict", BW_ROLE_TEXT),
    BW_FIELD("predicted", "predicted", BW_ROLE_COUNT, .digits = 2),
    BW_FIELD("measured", "measured", BW_ROLE_COUNT, .digits = 2),
    BW_FIELD("counter", "name", BW_ROLE_TEXT, .flexible = true),
};

static void print_counters(const pairing *pair, const bw_node *document, const bw_output *to)
{
    bw_grid *grid = bw_grid_create(columns, sizeof columns / sizeof *columns);
    size_t absent = 0;
    const bw_node *row = bw_node_at(document, "counters")->first;
    for (size_t i = 0; i < COUNTERS; i++, row = row->next) {
        const compared *at = &pair->counters[i];
        absent += !at->metric->text;
        if (at->metric->text)
            bw_grid_row(grid, row, at->finding ? BW_ROW_ALERT : BW_ROW_PLAIN);
    }
    fputc('\n', to->file);
    if (absent < COUNTERS) {
        bw_grid_print(grid, to->file, to->width, to->colour);
        return;
    }
    bw_grid_destroy(grid);
    bw_print_wrapped(to->file, to->width, 0,
                     "The report has none of the counters of shared memory; profile with "
                     "--metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum or --set full.");
}

static void print_reasons(const pairing *pair, const bw_output *to)
{
    for (size_t i = 0; i < COUNTERS; i++)
        if (pair->counters[i].metric->text && pair->counters[i].why)
            bw_print_sentence(to->file, to->width, 2, "%s: %s.", counters[i].name,
                              pair->counters[i].why);
}

/* Where fewer accesses were counted than are written, the compiler may have joined some. */
static bool may_be_joined(const ncu *all, const pairing *pair)
{
    bool over = false, joins = false;
    for (size_t i = 0; i < COUNTERS; i++)
        over |= pair->counters[i].metric->text && pair->counters[i].verdict == VERDICT_OVER;
    for (size_t i = 0; i < pair->report->count; i++)
        joins |= pair->report->rows[i].access->joins != pair->report->rows[i].access->op;
    return over && joins && !all->args->values[BW_OPTION_JOIN].given;
}

static void print_pair(ncu *all, const pairing *pair, const bw_node *document, const bw_output *to)
{
    const bw_report *report = pair->report;
    const bw_profiled *profiled = pair->profiled;
    bool notes = !all->args->values[BW_OPTION_QUIET].given;
    if (pair != all->pairs)
        fputc('\n', to->file);
    bw_print_sentence(to->file, to->width, 2, "%s:%u: %s%s%s against %s, launch %zu of %zu, on %s",
                      all->input.source.name, profiled->line, profiled->name,
                      *profiled->id ? ", launch " : "", profiled->id,
                      all->session.input.source.name, report->launch_index + 1,
                      report->launch_count, report->arch->name);
    if (all->arch_note && notes && pair == all->pairs)
        bw_print_sentence(to->file, to->width, 2, "note: %s", all->arch_note);
    if (pair->note && notes)
        bw_print_sentence(to->file, to->width, 2, "note: %s", pair->note);
    print_counters(pair, document, to);
    if (notes)
        print_reasons(pair, to);
    if (notes && may_be_joined(all, pair))
        bw_print_sentence(to->file, to->width, 2,
                          "note: nvcc may have joined neighbouring accesses of a thread: compare "
                          "again with --join");
}

static void write_text(ncu *all, const bw_node *document, const bw_output *to)
{
    const bw_node *launch = bw_node_at(document, "launches")->first;
    for (size_t i = 0; i < all->pair_count; i++, launch = launch->next)
        print_pair(all, &all->pairs[i], launch, to);
    size_t left = all->profile.count - all->pair_count;
    if (left && !all->args->values[BW_OPTION_QUIET].given)
        fprintf(to->file, "\n%zu other launch%s in the report not of a kernel in the pattern\n",
                left, left == 1 ? " is" : "es are");
}

/* ---- CSV ---- */

static void write_csv(const bw_node *document, FILE *out)
{
    static const bw_field fields[] = {
        BW_FIELD("report", "^.report", BW_ROLE_PLAIN),
        BW_ABOVE("line"),
        BW_ABOVE("id"),
        BW_ABOVE("kernel"),
        BW_FIELD("pattern", "^.pattern", BW_ROLE_PLAIN),
        BW_ABOVE("pattern_launch"),
        BW_FIELD("counter", "name", BW_ROLE_PLAIN),
        BW_SAME("verdict"),
        BW_FIELD("predicted", "predicted", BW_ROLE_COUNT, .digits = 2),
        BW_FIELD("measured", "measured", BW_ROLE_COUNT, .digits = 2),
        BW_SAME("why")};
    enum { COLUMNS = sizeof fields / sizeof *fields };
    bw_csv_header(fields, COLUMNS, out);
    const bw_node *launch = bw_node_at(document, "launches")->first;
    for (; launch; launch = launch->next)
        bw_csv_rows(fields, COLUMNS, bw_node_at(launch, "counters"), launch, out);
}

/* ---- all together ---- */

/* The rules are those of the card that was profiled, unless --arch names others. */
static bool choose_arch(ncu *all)
{
    bw_value *value = &all->own.values[BW_OPTION_ARCH];
    const bw_arch *card = all->profile.count ? bw_profiled_arch(&all->profile.launches[0]) : NULL;
    if (card && !value->given)
        value->arch = card;
    else if (card && card != value->arch)
        all->arch_note = bw_arena_format(&all->arena, "profiled on %s, compared with %s",
                                         card->name, value->arch->name);
    else if (all->profile.count && *all->profile.launches[0].cc && !card)
        all->arch_note = bw_arena_format(
            &all->arena,
            "the profiled card, of compute capability %s, is not known; compared with %s",
            all->profile.launches[0].cc, value->arch->name);
    const bw_arch *arch = value->arch;
    if (bw_has_profiler(arch))
        return true;
    bw_complain(BW_MSG_NO_COUNTERS,
                "Nsight Compute runs on sm_70 and later; name the profiled card with --arch",
                "compare --ncu: no counters are known of %s", arch->name);
    return false;
}

static bool read_profile(ncu *all)
{
    const char *path = all->args->values[BW_OPTION_NCU].text;
    const char *names[COUNTERS + 1];
    names[COUNTERS] = "launch__shared_mem_per_block_dynamic";
    for (size_t i = 0; i < COUNTERS; i++)
        names[i] = counters[i].name;
    if (strcmp(path, "-") == 0 && strcmp(all->args->files[0], "-") == 0) {
        bw_complain(BW_MSG_INPUT_TWICE, NULL, "standard input ('-') can be read once");
        return false;
    }
    if (!bw_input_read(&all->input, path) ||
        !bw_profiled_print(&all->input, all->args, BW_PROFILED_COUNTERS))
        return false;
    bool good = bw_profile_read(&all->profile, all->input.source.name, all->input.source.text,
                                all->input.source.len, names, COUNTERS + 1);
    if (!good)
        bw_complain(all->profile.error_id, NULL, "%s", all->profile.error);
    return good;
}

/* ---- launches that the report says ---- */

/* The kernel as a launch names it: "ns::k<(int)32, float>(float *)" gives "k<32, float>". */
static const char *launched_name(ncu *all, const bw_profiled *profiled)
{
    const char *at = profiled->kernel, *name = profiled->name, *text = name;
    size_t len = strlen(name);
    for (at = strstr(at, name); at && at[len] != '<' && at[len] != '('; at = strstr(at + 1, name))
        ;
    if (!at || at[len] != '<')
        return name;
    int depth = 0;
    for (at += len; *at; at++) {
        if (*at == '(' && depth) { /* the cast of (int)32 */
            at += strcspn(at, ")");
            if (!*at)
                return name;
            continue;
        }
        if (!depth && *at == '(')
            break;
        depth += (*at == '<') - (*at == '>');
        text = bw_arena_format(&all->arena, "%s%c", text, *at);
    }
    return text;
}

/* Dynamic shared memory, where the report has it in bytes. */
static unsigned dynamic_of(const bw_profiled *profiled)
{
    const bw_metric *m = &profiled->metrics[COUNTERS];
    bool bytes = m->text && m->known && (!*m->unit || strncmp(m->unit, "byte", 4) == 0);
    return bytes && m->value >= 0 && m->value <= INT32_MAX ? (unsigned)m->value : 0;
}

/* The launches of the report become those of the command line; their arguments are not known. False
 * where the report does not say enough, or of kernels that the source does not name. */
static bool take_launches(ncu *all, const bw_source *source)
{
    size_t count = all->profile.count;
    bw_launch_text *list = bw_arena_alloc(&all->arena, (count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++) {
        const bw_profiled *p = &all->profile.launches[i];
        if (!p->has_block || !p->has_grid ||
            !memmem(source->text, source->len, p->name, strlen(p->name)))
            return false;
        const char *text =
            bw_arena_format(&all->arena, "%s<<<dim3(%u, %u, %u), dim3(%u, %u, %u), %u>>>",
                            launched_name(all, p), p->grid[0], p->grid[1], p->grid[2], p->block[0],
                            p->block[1], p->block[2], dynamic_of(p));
        bool known = false;
        for (size_t k = 0; k < all->own.launch_count; k++)
            known |= strcmp(list[k].source.text, text) == 0;
        if (!known)
            list[all->own.launch_count++] =
                (bw_launch_text){{"the report", text, strlen(text), NULL}, 1};
    }
    all->own.launches = list;
    return count > 0;
}

/* Opens the pattern. Where what it says of launches does not do, the report's stand in their place:
 * --arg and -D give their arguments. */
static bool open_pattern(ncu *all, const char *path)
{
    const bw_value *values = all->args->values;
    bool given = all->args->launch_count || values[BW_OPTION_BLOCK].given ||
                 values[BW_OPTION_GRID].given || strcmp(path, "-") == 0;
    bw_session *session = &all->session;
    if (given)
        return bw_session_open(session, all->args, path) == BW_EXIT_DONE;
    *session = (bw_session){
        .args = all->args, .defines = all->args->defines, .define_count = all->args->define_count};
    if (!bw_input_read(&session->input, path))
        return false;
    bool plain = !bw_input_is_machine(&session->input) && !bw_input_is_stream(&session->input);
    bool good = plain && bw_session_parse(session);
    if (good || (plain && !take_launches(all, &session->input.source))) {
        bw_session_show(session);
        return good;
    }
    bw_session_close(session);
    return bw_session_open(session, all->args, path) == BW_EXIT_DONE;
}

static bool make_reports(ncu *all)
{
    const bw_launch *launches;
    all->report_count = bw_program_launches(all->session.program, &launches);
    all->reports = bw_calloc(all->report_count, sizeof *all->reports);
    bool good = true;
    for (size_t i = 0; i < all->report_count; i++)
        good &= bw_report_make(&all->reports[i], &all->session, i);
    bw_session_show(&all->session);
    return good;
}

static void write_result(ncu *all, const bw_output *output)
{
    const bw_node *document = document_of(all);
    switch ((bw_format)all->args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: bw_node_json(document, output->file, BW_JSON_INDENTED); break;
    case BW_FORMAT_CSV: write_csv(document, output->file); break;
    default: write_text(all, document, output); break;
    }
}

bw_exit bw_compare_ncu(const bw_args *args, bw_output *output)
{
    ncu all = {.own = *args};
    bw_exit code = BW_EXIT_USAGE;
    all.args = &all.own;
    if (read_profile(&all) && choose_arch(&all) && open_pattern(&all, args->files[0]) &&
        make_reports(&all) && pair_launches(&all)) {
        write_result(&all, output);
        code = all.finding ? BW_EXIT_FINDING : BW_EXIT_DONE;
    }
    for (size_t i = 0; i < all.report_count; i++)
        bw_report_finish(&all.reports[i]);
    free(all.reports);
    free(all.pairs);
    bw_profile_finish(&all.profile);
    bw_input_finish(&all.input);
    bw_session_close(&all.session);
    bw_arena_finish(&all.arena);
    return code;
}
