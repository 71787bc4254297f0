/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wording.h"

/* Shared memory that bankwise-gpu keeps for itself at the end of a block's (gpu/job.h). */
#define GPU_SCRATCH_BYTES 1024u

const char *bw_verdict_name(bw_verdict verdict)
{
    static const char *const names[] = {
        [BW_VERDICT_MATCH] = "MATCH",           [BW_VERDICT_OVER] = "OVER",
        [BW_VERDICT_UNDER] = "UNDER",           [BW_VERDICT_UNSTABLE] = "UNSTABLE",
        [BW_VERDICT_UNMEASURED] = "UNMEASURED",
    };
    _Static_assert(sizeof names / sizeof *names == BW_VERDICTS, "a name for each");
    return names[verdict];
}

/* ---- gathering the requests of a launch ---- */

/* One launch while it runs. */
typedef struct gather {
    bw_measurement *all;
    bw_session *session;
    size_t launch; /* index in all->launches */
    bool full;     /* more different requests than --max-memory has room for */
} gather;

static bw_measured_access *access_of(const gather *to, uint32_t access)
{
    bw_measured_launch *launch = &to->all->launches[to->launch];
    if (access >= launch->by_access_count) {
        size_t count = access + 1;
        launch->by_access = bw_realloc(launch->by_access, count * sizeof *launch->by_access);
        for (size_t i = launch->by_access_count; i < count; i++)
            launch->by_access[i] = SIZE_MAX;
        launch->by_access_count = count;
    }
    if (launch->by_access[access] == SIZE_MAX) {
        const bw_access *accesses;
        bw_program_accesses(to->session->program, &accesses);
        const bw_access *from = &accesses[access];
        BW_GROW(launch->accesses, launch->count, launch->capacity);
        launch->accesses[launch->count] =
            (bw_measured_access){.source = bw_arena_text(&to->all->arena, from->source),
                                 .array = bw_arena_text(&to->all->arena, from->array),
                                 .line = from->line,
                                 .column = from->column,
                                 .op = from->op,
                                 .example = BW_UNIQUE_NONE};
        launch->by_access[access] = launch->count++;
    }
    return &launch->accesses[launch->by_access[access]];
}

/* Requests of all accesses that --max-memory has room for: they are kept twice. */
static size_t most_requests(const bw_args *args)
{
    uint64_t given = args->values[BW_OPTION_MAX_MEMORY].number;
    return bw_unique_room((given ? (size_t)given : BW_DEFAULT_MAX_MEMORY) / 2);
}

static size_t kept_requests(const bw_measurement *all)
{
    size_t kept = all->requests.count;
    const bw_measured_launch *last = &all->launches[all->count - 1];
    for (size_t i = 0; i < last->count; i++)
        kept += last->accesses[i].own.count;
    return kept;
}

static bool take_request(void *context, const bw_request_origin *origin, const bw_request *request,
                         uint64_t copies)
{
    gather *to = context;
    bw_measured_access *access = access_of(to, origin->access);
    size_t before = access->own.count;
    bw_unique_add(&access->own, request, copies);
    /* Counting is dear, so it is done now and then. */
    if (access->own.count != before && access->own.count % 1024 == 0)
        to->full = kept_requests(to->all) > most_requests(to->all->args);
    return !to->full;
}

static int by_place(const void *left, const void *right)
{
    const bw_measured_access *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op; /* loads are before stores */
}

/* Joins the launch's requests to all others'. */
static void join_requests(bw_measurement *all, bw_measured_launch *launch)
{
    free(launch->by_access);
    launch->by_access = NULL;
    if (launch->count)
        qsort(launch->accesses, launch->count, sizeof *launch->accesses, by_place);
    for (size_t i = 0; i < launch->count; i++) {
        bw_measured_access *access = &launch->accesses[i];
        access->index = bw_calloc(access->own.count, sizeof *access->index);
        for (size_t k = 0; k < access->own.count; k++)
            access->index[k] = bw_unique_add(&all->requests, &access->own.items[k].request,
                                             access->own.items[k].count);
    }
}

static bool add_launch(bw_measurement *all, bw_session *session, size_t index)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(session->program, &launches);
    const bw_launch *from = &launches[index];
    BW_GROW(all->launches, all->count, all->capacity);
    bw_measured_launch *launch = &all->launches[all->count];
    *launch = (bw_measured_launch){
        .file = bw_arena_text(&all->arena, session->input.source.name),
        .title = bw_arena_text(&all->arena, bw_program_title(session->program)),
        .kernel = bw_arena_text(&all->arena, from->kernel),
        .index = index,
        .of = count,
        .random = bw_program_is_random(session->program)};
    memcpy(launch->block, from->block, sizeof launch->block);
    memcpy(launch->grid, from->grid, sizeof launch->grid);
    gather to = {.all = all, .session = session, .launch = all->count++};
    bw_sink sink = {&to, take_request};
    bw_run run;
    bw_laws_seed(session->laws, (uint32_t)all->args->values[BW_OPTION_SEED].number);
    bool good = bw_program_run(session->program, index, &sink, &run, &session->diags);
    join_requests(all, &all->launches[to.launch]);
    if (to.full)
        bw_complain(BW_MSG_MEMORY_BUDGET, "give more with --max-memory",
                    "measure: the different requests fill the memory");
    return good && !to.full;
}

bw_exit bw_measurement_add(bw_measurement *all, const char *path)
{
    bw_session session;
    const bw_launch *launches;
    bw_exit code = bw_session_open(&session, all->args, path);
    if (code == BW_EXIT_DONE) {
        size_t count = bw_program_launches(session.program, &launches);
        for (size_t i = 0; i < count; i++)
            if (!add_launch(all, &session, i))
                code = BW_EXIT_USAGE;
        bw_session_show(&session);
    }
    bw_session_close(&session);
    return code;
}

/* ---- what a card is asked for ---- */

/* Why a card cannot be asked for the request; NULL where it can. */
static const char *barrier_of(const bw_measurement *all, const bw_request *request)
{
    const bw_op_info *info = bw_op_get(request->op);
    uint32_t rows = info->matrices ? (uint32_t)((UINT64_C(1) << 8 * info->matrices) - 1) : 0;
    uint32_t limit = all->args->values[BW_OPTION_ARCH].arch->shared_per_block;
    if ((request->active & rows) != rows)
        return "a matrix instruction wants all its rows' lanes active";
    if (limit <= GPU_SCRATCH_BYTES || bw_request_bad_lane(request, limit - GPU_SCRATCH_BYTES) >= 0)
        return "it reaches into the last 1024 bytes of the block's shared memory, which the "
               "measuring kernel needs";
    return NULL;
}

void bw_measurement_prepare(bw_measurement *all)
{
    all->taken = bw_calloc(all->requests.count, sizeof *all->taken);
    for (size_t i = 0; i < all->requests.count; i++) {
        all->taken[i].barred = barrier_of(all, &all->requests.items[i].request);
        all->given += !all->taken[i].barred;
    }
}

void bw_measurement_write(const bw_measurement *all, FILE *out)
{
    fputs("# shared-memory requests of pattern files, each different one once\n", out);
    bw_stream_write_header(out, ",count");
    for (size_t i = 0; i < all->requests.count; i++) {
        if (all->taken[i].barred)
            continue;
        bw_stream_write_request(out, &all->requests.items[i].request);
        fprintf(out, ",%" PRIu64 "\n", all->requests.items[i].count);
    }
}

/* ---- what a recording says ---- */

/* Columns of a recording that are read; -1: not there. */
typedef struct columns {
    int cycles, wavefronts, status;
} columns;

static bool read_cell(const bw_stream_row *row, int column, const char *name, double *value,
                      bool *has)
{
    *has = column >= 0 && *row->fields[column];
    if (!*has || bw_cell_number(row->fields[column], value))
        return true;
    bw_complain(BW_MSG_MEASURED_VALUE, "leave the cell empty where nothing was measured",
                "%s:%u: '%.40s' is no number", name, row->line, row->fields[column]);
    return false;
}

/* Whether two measurements of a request round to other counts. */
static bool contradict(const bw_taken *a, const bw_taken *b)
{
    return (a->has_cycles && b->has_cycles && round(a->cycles) != round(b->cycles)) ||
           (a->has_wavefronts && b->has_wavefronts && round(a->wavefronts) != round(b->wavefronts));
}

/* A request may be recorded more than once: a stable value is better than none, the first is as
 * good as a later one that agrees, and of those that do not none counts. */
static bool take_row(bw_measurement *all, const bw_stream_row *row, const columns *at,
                     const char *name)
{
    size_t index = bw_unique_find(&all->requests, &row->request);
    bw_taken now = {.recorded = true};
    if (index == BW_UNIQUE_NONE)
        return true;
    now.unstable = at->status >= 0 && strcmp(row->fields[at->status], "unstable") == 0;
    if (!read_cell(row, at->cycles, name, &now.cycles, &now.has_cycles) ||
        !read_cell(row, at->wavefronts, name, &now.wavefronts, &now.has_wavefronts))
        return false;
    bw_taken *taken = &all->taken[index];
    now.barred = taken->barred;
    if (!taken->recorded || (taken->unstable && !now.unstable && !taken->contradicted))
        *taken = now;
    else if (!taken->unstable && !now.unstable && contradict(taken, &now))
        taken->unstable = taken->contradicted = true;
    return true;
}

static void note_origin(bw_measurement *all, const bw_stream_reader *reader)
{
    const bw_value *given = &all->args->values[BW_OPTION_ARCH];
    all->device = bw_arena_text(&all->arena, bw_stream_meta(reader, "device"));
    all->driver = bw_arena_text(&all->arena, bw_stream_meta(reader, "driver"));
    all->date = bw_arena_text(&all->arena, bw_stream_meta(reader, "date"));
    const bw_arch *device = bw_device_arch(all->device);
    all->arch = given->given || !device ? given->arch : device;
    if (device && device != all->arch)
        all->arch_note = bw_arena_format(&all->arena, "measured on %s, predicted for %s",
                                         device->name, all->arch->name);
    else if (!device)
        all->arch_note = bw_arena_format(
            &all->arena, "the recording names no card that is known; predicted for %s",
            all->arch->name);
}

bool bw_measurement_replay(bw_measurement *all, FILE *file, const char *name)
{
    bw_stream_reader *reader = bw_stream_open(file, name);
    bw_stream_row row;
    columns at = {-1, -1, -1};
    bool good = true, first = true;
    int got = 0;
    while (good && (got = bw_stream_next(reader, &row)) == 1) {
        if (first)
            at = (columns){bw_stream_column(reader, "cycles"),
                           bw_stream_column(reader, "hw_wavefronts"),
                           bw_stream_column(reader, "status")};
        if (first && at.cycles < 0 && at.wavefronts < 0) {
            bw_complain(BW_MSG_MEASURED_COLUMNS, "'bankwise-gpu run' writes them",
                        "%s has neither of the columns cycles and hw_wavefronts", name);
            good = false;
        }
        first = false;
        good = good && take_row(all, &row, &at, name);
    }
    if (got < 0)
        bw_complain(bw_stream_error_id(reader), NULL, "%s", bw_stream_error(reader));
    note_origin(all, reader);
    bw_stream_close(reader);
    return good && got >= 0;
}

/* ---- verdicts ---- */

/* What is measured of one request against what is predicted; *reason of verdicts but the first
 * three. */
static bw_verdict judge_request(bw_measurement *all, const bw_request *request,
                                const bw_taken *taken, const char **reason)
{
    *reason = NULL;
    if (!taken->recorded) {
        *reason = taken->barred ? taken->barred : "the recording does not have it";
        all->missing |= !taken->barred;
        return BW_VERDICT_UNMEASURED;
    }
    bool clock = taken->has_cycles && bw_clock_is_exact(request->op);
    bool counter = taken->has_wavefronts && bw_counter_is_exact(request, &taken->cost);
    if (!clock && !counter) {
        *reason = taken->has_wavefronts ? "its count depends on values, or the counter misses it"
                  : !taken->has_cycles  ? "the recording has no cycles of it"
                  : bw_op_get(request->op)->kind == BW_KIND_CAS_LOOP
                      ? "the clock does not count wavefronts of compare-and-swap loops"
                      : "the clock does not count wavefronts of cp.async";
        return BW_VERDICT_UNMEASURED;
    }
    if (taken->unstable) {
        *reason = taken->contradicted ? "recorded several times, with different values"
                                      : "the card's values kept disagreeing";
        return BW_VERDICT_UNSTABLE;
    }
    double measured = round(counter ? taken->wavefronts : taken->cycles);
    double predicted = counter ? taken->cost.wavefronts : taken->cost.cycles;
    if (counter && clock && predicted == measured) { /* both were measured, and both must agree */
        measured = round(taken->cycles);
        predicted = taken->cost.cycles;
    }
    return predicted == measured  ? BW_VERDICT_MATCH
           : predicted > measured ? BW_VERDICT_OVER
                                  : BW_VERDICT_UNDER;
}

/* Adds what was measured of `count` requests. The clock shows the wavefronts only where they are
 * no less than the time that a result takes. */
static void add_measured(bw_measured_access *access, const bw_request *request,
                         const bw_taken *taken, uint64_t count)
{
    bool clock = taken->has_cycles && bw_clock_is_exact(request->op) && !taken->unstable;
    bool floored = taken->cost.cycles != taken->cost.wavefronts;
    if (clock && taken->cycles >= 0)
        access->measured_cycles += count * (uint64_t)llround(taken->cycles);
    else
        access->has_cycles = false;
    if (taken->has_wavefronts && taken->wavefronts >= 0)
        access->measured_wavefronts += count * (uint64_t)llround(taken->wavefronts);
    else if (clock && taken->cycles >= 0 && !floored)
        access->measured_wavefronts += count * (uint64_t)llround(taken->cycles);
    else
        access->has_wavefronts = false;
}

/* The verdict on an access: what is worst of its requests, a contradiction before a gap. */
static const bw_verdict severity[] = {BW_VERDICT_OVER, BW_VERDICT_UNDER, BW_VERDICT_UNSTABLE,
                                      BW_VERDICT_UNMEASURED, BW_VERDICT_MATCH};
_Static_assert(sizeof severity / sizeof *severity == BW_VERDICTS, "all of them");

static void judge_access(bw_measurement *all, bw_measured_access *access)
{
    const char *reasons[BW_VERDICTS] = {NULL};
    access->has_wavefronts = access->has_cycles = true;
    for (size_t i = 0; i < access->own.count; i++) {
        const bw_counted *counted = &access->own.items[i];
        const bw_taken *taken = &all->taken[access->index[i]];
        const char *reason;
        bw_verdict verdict = judge_request(all, &counted->request, taken, &reason);
        access->by_verdict[verdict]++;
        reasons[verdict] = reasons[verdict] ? reasons[verdict] : reason;
        access->requests += counted->count;
        access->wavefronts += counted->count * taken->cost.wavefronts;
        access->cycles += counted->count * taken->cost.cycles;
        add_measured(access, &counted->request, taken, counted->count);
        bool disagrees = verdict == BW_VERDICT_OVER || verdict == BW_VERDICT_UNDER;
        if (disagrees && access->example == BW_UNIQUE_NONE)
            access->example = access->index[i];
    }
    for (size_t i = BW_VERDICTS; i-- > 0;)
        if (access->by_verdict[severity[i]])
            access->verdict = severity[i];
    access->reason = reasons[access->verdict];
    all->by_verdict[access->verdict]++;
}

static const char *mismatch_reason(bw_measurement *all, const bw_measured_access *access)
{
    const bw_taken *taken = &all->taken[access->example];
    uint64_t wrong = access->by_verdict[BW_VERDICT_OVER] + access->by_verdict[BW_VERDICT_UNDER];
    double took = taken->has_cycles ? taken->cycles : taken->wavefronts;
    return bw_arena_format(&all->arena,
                           "%" PRIu64 " of %zu different requests disagree; the first is predicted "
                           "to take %s, %s, and took %.10g %s%s",
                           wrong, access->own.count,
                           bw_words_count(&all->arena, taken->cost.wavefronts, "wavefront"),
                           bw_words_count(&all->arena, taken->cost.cycles, "cycle"), took,
                           taken->has_cycles ? "cycle" : "wavefront", took == 1 ? "" : "s");
}

static bool price(bw_measurement *all)
{
    for (size_t i = 0; i < all->requests.count; i++) {
        const bw_request *request = &all->requests.items[i].request;
        bw_status status = bw_cost_of(all->arch, request, &all->taken[i].cost);
        if (status == BW_OK)
            continue;
        bw_complain(BW_MSG_UNSUPPORTED_OPERATION, "choose another architecture with --arch",
                    "%s on %s: %s", bw_op_get(request->op)->name, all->arch->name,
                    bw_status_text(status));
        return false;
    }
    return true;
}

bool bw_measurement_judge(bw_measurement *all)
{
    if (!price(all))
        return false;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->launches[i].count; k++) {
            bw_measured_access *access = &all->launches[i].accesses[k];
            judge_access(all, access);
            if (access->example != BW_UNIQUE_NONE)
                access->reason = mismatch_reason(all, access);
        }
    return true;
}

bool bw_measurement_passes(const bw_measurement *all)
{
    return !all->by_verdict[BW_VERDICT_OVER] && !all->by_verdict[BW_VERDICT_UNDER] &&
           !all->by_verdict[BW_VERDICT_UNSTABLE] && !all->missing;
}

void bw_measurement_begin(bw_measurement *all, const bw_args *args)
{
    *all = (bw_measurement){.args = args, .arch = args->values[BW_OPTION_ARCH].arch};
}

void bw_measurement_finish(bw_measurement *all)
{
    for (size_t i = 0; i < all->count; i++) {
        for (size_t k = 0; k < all->launches[i].count; k++) {
            bw_unique_finish(&all->launches[i].accesses[k].own);
            free(all->launches[i].accesses[k].index);
        }
        free(all->launches[i].accesses);
    }
    free(all->launches);
    bw_unique_finish(&all->requests);
    free(all->taken);
    bw_arena_finish(&all->arena);
}
