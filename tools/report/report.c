/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An access while its trials are gathered; by access index. */
typedef struct gather_row {
    bw_report_row row;
    double degree_sum;
    bool seen; /* it made requests */
} gather_row;

typedef struct gather {
    gather_row *rows;
    size_t count;
    double *totals; /* wavefronts of each trial */
    unsigned trials;
} gather;

bool bw_has_profiler(const bw_arch *arch)
{
    return arch->cc >= 70;
}

double bw_report_mean(const bw_report *report, uint64_t sum)
{
    return (double)sum / report->trials;
}

double bw_report_share(const bw_report *report, const bw_report_row *row)
{
    uint64_t all = report->sum.wavefronts;
    return all ? (double)row->sum.wavefronts / (double)all : 0;
}

const char *bw_row_op(const bw_report_row *row)
{
    return bw_op_get(row->worst.op)->name;
}

/* ---- gathering trials ---- */

static void grow(gather *all, size_t count)
{
    if (count <= all->count)
        return;
    all->rows = bw_realloc(all->rows, count * sizeof *all->rows);
    for (size_t i = all->count; i < count; i++) {
        all->rows[i] = (gather_row){.seen = false};
        all->rows[i].row.samples = bw_calloc(all->trials, sizeof(bw_sample));
    }
    all->count = count;
}

static void gather_one(gather_row *to, const bw_tally_row *from, unsigned trial)
{
    bw_report_row *row = &to->row;
    if (!from->counts.requests)
        return;
    to->seen = true;
    to->degree_sum += from->degree_sum;
    bw_counts_add(&row->sum, &from->counts);
    row->samples[trial] = (bw_sample){from->counts.wavefronts, bw_counts_excessive(&from->counts),
                                      from->counts.cycles, from->degree};
    row->degree = from->degree > row->degree ? from->degree : row->degree;
    row->basis = from->basis > row->basis ? from->basis : row->basis;
    if (from->worst_wavefronts <= row->worst_wavefronts)
        return;
    row->worst = from->worst;
    free(row->worst_sources);
    row->worst_sources = NULL;
    if (from->worst_sourced) {
        row->worst_sources = bw_alloc(sizeof *row->worst_sources);
        *row->worst_sources = from->copied->worst;
        row->worst.sources = row->worst_sources;
    }
    row->worst_wavefronts = from->worst_wavefronts;
    row->worst_warp = from->worst_warp;
    row->worst_block = from->worst_block;
    row->worst_index = from->worst_index;
    row->worst_trial = trial;
}

static void gather_trial(gather *all, const bw_tally *tally, unsigned trial)
{
    grow(all, tally->count);
    for (size_t i = 0; i < tally->count; i++)
        gather_one(&all->rows[i], &tally->rows[i], trial);
    bw_counts total = bw_tally_total(tally);
    if (all->totals)
        all->totals[trial] = (double)total.wavefronts;
}

static void gather_finish(gather *all)
{
    for (size_t i = 0; i < all->count; i++) { /* those that no report took */
        free(all->rows[i].row.samples);
        free(all->rows[i].row.worst_sources);
    }
    free(all->rows);
    free(all->totals);
}

/* ---- running ---- */

/* Of a folded report all accesses of a place count as the first. */
typedef struct folder {
    bw_tally *tally;
    const bw_program *program;
    bool folds;
    uint32_t *leader; /* malloc'd: by access, the first of its place */
    size_t count;
} folder;

static uint32_t leader_of(folder *to, uint32_t access)
{
    const bw_access *all;
    size_t count = bw_program_accesses(to->program, &all);
    if (access >= to->count) {
        to->leader = bw_realloc(to->leader, count * sizeof *to->leader);
        for (; to->count < count; to->count++) {
            uint32_t k = 0;
            while (!bw_access_same_place(&all[k], &all[to->count]))
                k++;
            to->leader[to->count] = k;
        }
    }
    return to->leader[access];
}

static bool take_request(void *context, const bw_request_origin *origin, const bw_request *request,
                         uint64_t copies)
{
    folder *to = context;
    uint32_t access = to->folds ? leader_of(to, origin->access) : origin->access;
    return bw_tally_add(to->tally, access, origin->warp, origin->block, request, copies);
}

/* The same of machine code, whose blocks may differ: what each takes is watched. Requests of a
 * block come one after another. */
typedef struct block_watch {
    bw_tally *tally;
    bw_regions *regions;
    bool any;
    uint64_t block, wavefronts; /* of the block that is going on */
    bw_block_spread spread;
} block_watch;

static void end_block(block_watch *to)
{
    if (!to->any)
        return;
    to->spread.least = to->wavefronts < to->spread.least ? to->wavefronts : to->spread.least;
    to->spread.most = to->wavefronts > to->spread.most ? to->wavefronts : to->spread.most;
    to->wavefronts = 0;
}

static uint64_t wavefronts_of(const bw_tally *tally, size_t access)
{
    return access < tally->count ? tally->rows[access].counts.wavefronts : 0;
}

static bool watch_request(void *context, const bw_request_origin *origin, const bw_request *request,
                          uint64_t copies)
{
    block_watch *to = context;
    uint64_t before = wavefronts_of(to->tally, origin->access);
    if (to->any && origin->block != to->block)
        end_block(to);
    to->any = true;
    to->block = origin->block;
    bool good =
        bw_tally_add(to->tally, origin->access, origin->warp, origin->block, request, copies);
    if (to->regions)
        bw_regions_add(to->regions, origin->access, request, copies);
    if (copies)
        to->wavefronts += (wavefronts_of(to->tally, origin->access) - before) / copies;
    return good;
}

/* Whether the command says what would cure a layout. */
static bool shows_regions(const bw_args *args)
{
    const bw_value *values = args->values;
    bool predicts = args->command->id == BW_COMMAND_PREDICT && !values[BW_OPTION_COMPARE].given &&
                    !values[BW_OPTION_HTML].given &&
                    values[BW_OPTION_FORMAT].number != BW_FORMAT_CSV;
    bool quiet = values[BW_OPTION_QUIET].given && values[BW_OPTION_FORMAT].number == BW_FORMAT_TEXT;
    return (predicts || args->command->id == BW_COMMAND_EXPLAIN) && !quiet;
}

static bool run_watched(bw_session *session, size_t index, bw_tally *tally, bw_report *report)
{
    block_watch watch = {.tally = tally, .spread.least = UINT64_MAX};
    if (shows_regions(session->args)) {
        watch.regions = report->regions = bw_alloc(sizeof *report->regions);
        bw_regions_begin(report->regions, report->arch);
    }
    bw_sink sink = {&watch, watch_request};
    bool good = bw_program_run(session->program, index, &sink, &report->run, &session->diags);
    end_block(&watch);
    const bw_shared_array *arrays;
    size_t count = bw_program_shared_arrays(session->program, &arrays);
    if (report->regions && good && tally->status == BW_OK)
        bw_regions_solve(report->regions, arrays, count);
    report->blocks = watch.spread;
    if (!watch.any || !report->run.least) /* a block without requests is not heard of */
        report->blocks.least = 0;
    return good;
}

/* The model refuses what the architecture has not: ldmatrix before sm_75, say. */
static void report_refusal(bw_session *session, const bw_tally *tally)
{
    const bw_access *accesses;
    bw_program_accesses(session->program, &accesses);
    const bw_access *access = &accesses[tally->failed_row];
    const bw_op_info *op = bw_op_get(tally->failed.op);
    bw_diagnostic *diagnostic =
        bw_diagnose(&session->diags, bw_tally_message(tally), &session->input.source, access->span,
                    "%s on %s: %s", op ? op->name : "operation", tally->arch->name,
                    bw_status_text(tally->status));
    if (tally->status == BW_UNSUPPORTED)
        bw_note(&session->diags, diagnostic, "choose another architecture with --arch");
}

static bool run_once(bw_session *session, size_t index, bw_tally *tally, bw_report *report)
{
    folder fold = {.tally = tally,
                   .program = session->program,
                   .folds = session->args->values[BW_OPTION_FOLD].given};
    bw_sink sink = {&fold, take_request};
    const bw_instruction *instructions;
    bool good = bw_program_instructions(session->program, &instructions)
                    ? run_watched(session, index, tally, report)
                    : bw_program_run(session->program, index, &sink, &report->run, &session->diags);
    free(fold.leader);
    if (good && tally->status != BW_OK) {
        report_refusal(session, tally);
        good = false;
    }
    return good;
}

/* Evaluation steps of all trials of a random launch together, and those that a request is worth:
 * about two seconds. Fewer trials than the last, and each is of some blocks alone. Steps, not the
 * clock: the same on every machine. */
#define SAMPLE_STEPS UINT64_C(100000000)
#define REQUEST_STEPS 30
#define FEWEST_TRIALS 10

/* How many trials, and of how many blocks, if the first block is like the others. */
static bool plan_trials(bw_report *report, bw_session *session)
{
    bw_tally tally;
    bw_block_sample *sample = &session->program->sample;
    const uint32_t *grid = report->launch->grid;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    *sample = (bw_block_sample){.blocks = 1, .seed = report->seed};
    bw_laws_seed(session->laws, report->seed);
    bw_tally_init(&tally, report->arch);
    bool good = run_once(session, report->launch_index, &tally, report);
    uint64_t requests = bw_tally_total(&tally).requests / blocks; /* one stood for all */
    bw_tally_finish(&tally);
    sample->blocks = 0;
    if (!good)
        return false;
    if (report->run.scaled)
        blocks = 1;
    uint64_t work = report->run.steps + REQUEST_STEPS * requests;
    uint64_t room = SAMPLE_STEPS / (work + 1) + 1; /* blocks that can be run */
    if (room / report->trials >= blocks)
        return true;
    uint64_t whole = room / blocks;
    if (whole < FEWEST_TRIALS && blocks > 1) {
        whole = room < FEWEST_TRIALS ? room : FEWEST_TRIALS;
        report->sampled = room / whole < blocks ? room / whole : 0;
    }
    if (whole < report->trials)
        report->trials = whole < 2 ? 2 : (unsigned)whole;
    return true;
}

static bool run_trials(gather *all, bw_report *report, bw_session *session)
{
    session->program->sample.blocks = report->sampled;
    bw_laws_seed(session->laws,
                 report->seed); /* so that a launch does not depend on those before */
    for (unsigned trial = 0; trial < all->trials; trial++) {
        bw_tally tally;
        session->program->sample.seed = report->seed + ((uint64_t)trial << 32);
        bw_tally_init(&tally, report->arch);
        bool good = run_once(session, report->launch_index, &tally, report);
        if (good)
            gather_trial(all, &tally, trial);
        bw_tally_finish(&tally);
        if (!good)
            return false;
    }
    return true;
}

/* ---- from what was gathered to a report ---- */

/* Sorts `values`. */
static bw_spread spread_of(double *values, size_t count)
{
    gsl_sort(values, 1, count);
    return (bw_spread){
        .mean = gsl_stats_mean(values, 1, count),
        .error = count > 1 ? gsl_stats_sd(values, 1, count) / sqrt((double)count) : 0,
        .min = values[0],
        .q05 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.05),
        .q50 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.50),
        .q95 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.95),
        .max = values[count - 1],
    };
}

static void fill_spreads(bw_report_row *row, unsigned trials)
{
    double *values = bw_alloc(trials * sizeof *values);
    for (unsigned i = 0; i < trials; i++)
        values[i] = (double)row->samples[i].wavefronts;
    row->wavefront_spread = spread_of(values, trials);
    for (unsigned i = 0; i < trials; i++)
        values[i] = row->samples[i].degree;
    row->degrees = spread_of(values, trials);
    free(values);
}

/* Whether an operation leaves shared memory as it was. */
static bool is_read(bw_op op)
{
    return !bw_op_get(op)->writes;
}

const char *bw_measured_archs(bw_arena *arena)
{
    const bw_card *card;
    const char *list = "", *before = NULL;
    for (size_t i = 0; (card = bw_card_at(i)); i++) {
        bool last = !bw_card_at(i + 1);
        if (before && strcmp(before, card->arch) == 0)
            continue;
        list = bw_arena_format(arena, "%s%s%s", list,
                               !before ? ""
                               : last  ? " and "
                                       : ", ",
                               card->arch);
        before = card->arch;
    }
    return list;
}

static int by_place(const void *left, const void *right)
{
    const bw_report_row *a = left, *b = right;
    if (a->access->line != b->access->line)
        return a->access->line < b->access->line ? -1 : 1;
    if (a->access->column != b->access->column)
        return a->access->column < b->access->column ? -1 : 1;
    if (is_read(a->access->op) != is_read(b->access->op))
        return is_read(a->access->op) ? -1 : 1;
    return a->access < b->access ? -1 : a->access > b->access; /* order of discovery */
}

static void find_worst(bw_report *report)
{
    uint64_t most = 0;
    report->worst = report->count;
    for (size_t i = 0; i < report->count; i++) {
        uint64_t excessive = bw_counts_excessive(&report->rows[i].sum);
        if (excessive > most) {
            most = excessive;
            report->worst = i;
        }
    }
}

static void fill_report(bw_report *report, gather *all)
{
    const bw_access *accesses;
    bw_program_accesses(report->session->program, &accesses);
    report->rows = bw_calloc(all->count, sizeof *report->rows);
    if (report->session->args->values[BW_OPTION_FOLD].given)
        report->folded = bw_calloc(all->count, sizeof *report->folded);
    for (size_t i = 0; i < all->count; i++) {
        gather_row *from = &all->rows[i];
        if (!from->seen)
            continue;
        from->row.access = &accesses[i];
        if (report->folded) { /* it stands for all of its place */
            report->folded[i] = accesses[i];
            report->folded[i].several_calls = report->folded[i].several_arrays = false;
            from->row.access = &report->folded[i];
        }
        from->row.degree_mean = from->degree_sum / (double)from->row.sum.requests;
        if (report->random)
            fill_spreads(&from->row, all->trials);
        report->rows[report->count++] = from->row;
        from->row.samples = NULL;
        from->row.worst_sources = NULL;
        bw_counts_add(&report->sum, &from->row.sum);
        report->basis = from->row.basis > report->basis ? from->row.basis : report->basis;
    }
    if (all->totals)
        report->wavefront_spread = spread_of(all->totals, all->trials);
    if (report->count)
        qsort(report->rows, report->count, sizeof *report->rows, by_place);
    find_worst(report);
}

bool bw_report_make(bw_report *report, bw_session *session, size_t index)
{
    const bw_launch *launches;
    const bw_value *values = session->args->values;
    size_t count = bw_program_launches(session->program, &launches);
    bool random = bw_program_is_random(session->program);
    *report = (bw_report){
        .session = session,
        .arch = session->program->arch,
        .launch = &launches[index],
        .launch_index = index,
        .launch_count = count,
        .random = random,
        .trials = random ? (unsigned)values[BW_OPTION_TRIALS].number : 1,
        .seed = (uint32_t)values[BW_OPTION_SEED].number,
    };
    if (random && !values[BW_OPTION_TRIALS].given && !plan_trials(report, session)) {
        bw_report_finish(report);
        return false;
    }
    gather all = {.trials = report->trials};
    if (random)
        all.totals = bw_calloc(all.trials, sizeof *all.totals);
    bool good = run_trials(&all, report, session);
    if (good)
        fill_report(report, &all);
    else
        bw_report_finish(report);
    gather_finish(&all);
    return good;
}

void bw_report_finish(bw_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        free(report->rows[i].samples);
        free(report->rows[i].worst_sources);
    }
    free(report->rows);
    free(report->folded);
    report->folded = NULL;
    report->rows = NULL;
    report->count = 0;
    if (report->regions)
        bw_regions_finish(report->regions);
    free(report->regions);
    report->regions = NULL;
}
