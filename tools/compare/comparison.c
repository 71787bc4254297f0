/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparison.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER_EXEMPT                                                                             \
    "the hardware's counter does not see cp.async.16, and what it counts of 64-bit loops can "     \
    "depend on values"
#define TOOL_EXEMPT                                                                                \
    "the profiler's arithmetic is not known for them, or it counts by values as the hardware does"

static const bw_column_rule rules[] = {
    [BW_COLUMN_HW_WAVEFRONTS] = {"hw_wavefronts", "predicted wavefronts", COUNTER_EXEMPT},
    [BW_COLUMN_CYCLES] = {"cycles", "predicted cycles",
                          "the clock does not count wavefronts of compare-and-swap loops (their "
                          "other instructions take time) and of cp.async (the global side does)"},
    [BW_COLUMN_HW_CONFLICTS] = {"hw_conflicts", "predicted conflicts", COUNTER_EXEMPT},
    [BW_COLUMN_SASS_WAVEFRONTS] = {"sass_wavefronts", "what the profiler computes", TOOL_EXEMPT},
    [BW_COLUMN_SASS_IDEAL] = {"sass_ideal", "what the profiler computes", TOOL_EXEMPT},
};
_Static_assert(sizeof rules / sizeof *rules == BW_COLUMN_IDS, "a rule for each column");

const bw_column_rule *bw_column_at(bw_column_id column)
{
    return (unsigned)column < BW_COLUMN_IDS ? &rules[column] : NULL;
}

bool bw_clock_is_exact(bw_op op)
{
    const bw_op_info *info = bw_op_get(op);
    return info->turns != BW_TURNS_LOOP && !info->copies;
}

static bool is_extremum(bw_op op)
{
    bw_atomic atomic = bw_op_get(op)->atomic;
    return atomic == BW_AT_MIN || atomic == BW_AT_MAX;
}

bool bw_counter_is_exact(const bw_request *request, const bw_cost *cost)
{
    const bw_op_info *info = bw_op_get(request->op);
    if (info->kind == BW_KIND_CAS_LOOP && info->bytes == 8)
        return !is_extremum(request->op) && cost->wavefronts_changing == cost->wavefronts;
    return info->kind != BW_KIND_ASYNC_CG;
}

/* Where numbers of a row end: what is larger is no count of anything. */
#define MOST_MEASURED 1e15

bool bw_cell_number(const char *text, double *value)
{
    char *end;
    *value = 0;
    if (text[strspn(text, "+-.0123456789eE")]) /* no "nan", and nothing hexadecimal */
        return false;
    *value = strtod(text, &end);
    return end != text && !*end && fabs(*value) <= MOST_MEASURED;
}

const bw_arch *bw_device_arch(const char *device)
{
    const char *at = device ? strstr(device, "sm_") : NULL;
    char name[16];
    size_t length = at ? 3 + strspn(at + 3, "0123456789") : 0;
    if (length <= 3 || length >= sizeof name)
        return NULL;
    memcpy(name, at, length);
    name[length] = '\0';
    return bw_arch_find(name);
}

/* ---- confusion: a hash table of pairs ---- */

#define FIRST_SLOTS 1024

static size_t *find_cell(const bw_comparison *all, uint32_t predicted, int64_t measured)
{
    uint64_t key = (uint64_t)predicted << 32 ^ (uint64_t)measured;
    size_t mask = all->slot_count - 1;
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
    for (; all->slots[at]; at = (at + 1) & mask) {
        const bw_confusion *cell = &all->cells[all->slots[at] - 1];
        if (cell->predicted == predicted && cell->measured == measured)
            break;
    }
    return &all->slots[at];
}

static void grow_slots(bw_comparison *all)
{
    if (all->slot_count > 2 * all->cell_count)
        return;
    all->slot_count = all->slot_count ? 2 * all->slot_count : FIRST_SLOTS;
    free(all->slots);
    all->slots = bw_calloc(all->slot_count, sizeof *all->slots);
    for (size_t i = 0; i < all->cell_count; i++)
        *find_cell(all, all->cells[i].predicted, all->cells[i].measured) = i + 1;
}

static void count_cell(bw_comparison *all, uint32_t predicted, int64_t measured)
{
    grow_slots(all);
    size_t *slot = find_cell(all, predicted, measured);
    if (!*slot && all->cell_count == BW_COMPARE_CELLS) {
        all->cells_dropped++;
        return;
    }
    if (!*slot) {
        BW_GROW(all->cells, all->cell_count, all->cell_capacity);
        all->cells[all->cell_count++] = (bw_confusion){predicted, measured, 0};
        *slot = all->cell_count;
    }
    all->cells[*slot - 1].rows++;
}

static int by_predicted(const void *left, const void *right)
{
    const bw_confusion *a = left, *b = right;
    if (a->predicted != b->predicted)
        return a->predicted < b->predicted ? -1 : 1;
    return a->measured < b->measured ? -1 : a->measured > b->measured;
}

/* ---- one row ---- */

/* The row at hand, and what the model says of it. */
typedef struct row {
    bw_comparison *all;
    const bw_recording *recording;
    const bw_stream_row *in;
    bw_cost cost;
    bw_ncu ncu;
    bool has_ncu;
    bw_baseline_cost baselines[BW_BASELINE_COUNT];
    bool unstable;
} row;

/* The prediction that belongs to a column; false where the column's rule leaves the row out. */
static bool predict(const row *at, bw_column_id column, uint32_t *value)
{
    bool counts = bw_counter_is_exact(&at->in->request, &at->cost);
    switch (column) {
    case BW_COLUMN_CYCLES: *value = at->cost.cycles; return bw_clock_is_exact(at->in->request.op);
    case BW_COLUMN_HW_WAVEFRONTS:
        *value = at->ncu.wavefronts;
        return at->has_ncu && at->ncu.hw_exact && counts;
    case BW_COLUMN_HW_CONFLICTS:
        *value = at->ncu.conflicts;
        return at->has_ncu && at->ncu.hw_exact && counts;
    case BW_COLUMN_SASS_WAVEFRONTS:
        *value = at->ncu.sass_wavefronts;
        return at->has_ncu && at->ncu.sass_exact && counts;
    case BW_COLUMN_SASS_IDEAL:
        *value = at->ncu.sass_ideal;
        return at->has_ncu && at->ncu.sass_exact && counts;
    default: return false;
    }
}

static void keep_mismatch(const row *at, bw_column_id column, uint32_t predicted, double measured)
{
    bw_comparison *all = at->all;
    if (all->mismatch_count >= all->args->values[BW_OPTION_SHOW].number)
        return;
    BW_GROW(all->mismatches, all->mismatch_count, all->mismatch_capacity);
    all->mismatches[all->mismatch_count++] = (bw_mismatch){
        .file = at->recording->file,
        .line = at->in->line,
        .column = column,
        .predicted = predicted,
        .measured = measured,
        .request = at->in->request,
    };
}

/* What only the model's own columns take part in. */
static void score_own(const row *at, bw_column_id column, bw_score *score, double measured)
{
    for (unsigned i = 0; i < BW_BASELINE_COUNT; i++) {
        const bw_baseline_cost *cost = &at->baselines[i];
        uint32_t value = column == BW_COLUMN_CYCLES ? cost->cycles : cost->wavefronts;
        score->baseline[i] += (double)value == round(measured);
    }
    if (column == BW_COLUMN_CYCLES)
        bw_sampler_add(&at->all->times, at->cost.wavefronts, measured);
}

static void score_cell(const row *at, bw_column_id column, bw_score *score, double measured)
{
    uint32_t predicted;
    if (!predict(at, column, &predicted)) {
        score->exempt++;
        return;
    }
    if (at->unstable) {
        score->unstable++;
        return;
    }
    double rounded = round(measured);
    score->rows++;
    score->equal += rounded == predicted;
    score->over += predicted > rounded;
    score->under += predicted < rounded;
    if (measured > 0) {
        score->error_sum += fabs(predicted - measured) / measured;
        score->error_rows++;
    }
    if (column >= BW_COLUMN_OWN)
        return;
    score_own(at, column, score, measured);
    bw_sampler_add(&at->all->samples[column], predicted, rounded);
    count_cell(at->all, predicted, (int64_t)rounded);
    if (rounded != predicted)
        keep_mismatch(at, column, predicted, measured);
}

static bool bad_cell(const row *at, const char *column, const char *text)
{
    bw_complain(BW_MSG_MEASURED_VALUE, "leave the cell empty where nothing was measured",
                "%s:%u: %s is '%.40s', no number", at->recording->file, at->in->line, column, text);
    return false;
}

static bool score_row(row *at, const int indices[BW_COLUMN_IDS])
{
    for (int i = 0; i < BW_COLUMN_IDS; i++) {
        if (indices[i] < 0)
            continue;
        bw_score *score = &at->all->scores[i][at->in->request.op];
        const char *text = at->in->fields[indices[i]];
        double measured;
        if (!*text) {
            score->empty++;
            continue;
        }
        if (!bw_cell_number(text, &measured))
            return bad_cell(at, rules[i].name, text);
        score_cell(at, (bw_column_id)i, score, measured);
    }
    return true;
}

static bool price_row(row *at)
{
    const bw_request *request = &at->in->request;
    const bw_arch *arch = at->recording->arch;
    bw_status status = bw_cost_of(arch, request, &at->cost);
    if (status != BW_OK) {
        bw_complain(BW_MSG_UNSUPPORTED_OPERATION,
                    "name the architecture of the recorded card with --arch", "%s:%u: %s on %s: %s",
                    at->recording->file, at->in->line, bw_op_get(request->op)->name, arch->name,
                    bw_status_text(status));
        return false;
    }
    at->has_ncu = bw_ncu_of(arch, request, &at->ncu) == BW_OK;
    if (bw_baselines_of(arch, request, at->baselines) != BW_OK)
        at->all->no_baselines = true;
    return true;
}

/* ---- one recording ---- */

/* The card's own architecture, unless --arch names another. */
static void choose_arch(bw_comparison *all, bw_recording *recording)
{
    const bw_value *given = &all->args->values[BW_OPTION_ARCH];
    const bw_arch *device = bw_device_arch(recording->device);
    recording->arch = given->given || !device ? given->arch : device;
    if (device && device != recording->arch)
        recording->arch_note = bw_arena_format(&all->arena, "recorded on %s, compared with %s",
                                               device->name, recording->arch->name);
    else if (!device && !given->given)
        recording->arch_note = bw_arena_format(
            &all->arena, "the recording names no card that is known; compared with %s",
            recording->arch->name);
}

/* Columns that are no part of the request and that nothing here reads. */
static bool is_read(const char *name)
{
    bool lane = name[0] == 'a' && name[1] >= '0' && name[1] <= '9';
    if (lane || strcmp(name, "op") == 0 || strcmp(name, "active") == 0 ||
        strcmp(name, "status") == 0)
        return true;
    for (int i = 0; i < BW_COLUMN_IDS; i++)
        if (strcmp(name, rules[i].name) == 0)
            return true;
    return false;
}

static void list_ignored(bw_comparison *all, bw_recording *recording,
                         const bw_stream_reader *reader)
{
    const char *name;
    for (unsigned i = 0; (name = bw_stream_column_name(reader, i)); i++)
        if (*name && !is_read(name))
            recording->ignored = recording->ignored ? bw_arena_format(&all->arena, "%s, %s",
                                                                      recording->ignored, name)
                                                    : bw_arena_text(&all->arena, name);
}

static void begin_recording(bw_comparison *all, bw_recording *recording,
                            const bw_stream_reader *reader, int indices[BW_COLUMN_IDS])
{
    recording->device = bw_arena_text(&all->arena, bw_stream_meta(reader, "device"));
    recording->driver = bw_arena_text(&all->arena, bw_stream_meta(reader, "driver"));
    choose_arch(all, recording);
    for (int i = 0; i < BW_COLUMN_IDS; i++) {
        indices[i] = bw_stream_column(reader, rules[i].name);
        recording->has[i] = indices[i] >= 0;
        all->has[i] |= recording->has[i];
    }
    list_ignored(all, recording, reader);
}

static bool has_any(const bool has[BW_COLUMN_IDS])
{
    for (int i = 0; i < BW_COLUMN_IDS; i++)
        if (has[i])
            return true;
    return false;
}

static bool no_columns(const bw_recording *recording)
{
    bw_complain(BW_MSG_MEASURED_COLUMNS,
                "'bankwise-gpu run' makes a recording from a request stream",
                "%s has none of the measured columns cycles, hw_wavefronts, hw_conflicts, "
                "sass_wavefronts, sass_ideal: there is nothing to compare",
                recording->file);
    return false;
}

static bool read_rows(bw_comparison *all, bw_recording *recording, bw_stream_reader *reader)
{
    bw_stream_row in;
    int got, status = -1, indices[BW_COLUMN_IDS];
    while ((got = bw_stream_next(reader, &in)) == 1) {
        row at = {.all = all, .recording = recording, .in = &in};
        if (recording->rows++ == 0) {
            begin_recording(all, recording, reader, indices);
            status = bw_stream_column(reader, "status");
            if (!has_any(recording->has))
                return no_columns(recording);
        }
        at.unstable = status >= 0 && strcmp(in.fields[status], "unstable") == 0;
        if (!price_row(&at) || !score_row(&at, indices))
            return false;
    }
    if (got < 0)
        bw_complain(bw_stream_error_id(reader), NULL, "%s", bw_stream_error(reader));
    else if (!recording->rows)
        bw_complain(BW_MSG_STREAM_EMPTY, "a recording has a row for each request", "%s has no rows",
                    recording->file);
    all->rows += recording->rows;
    return got == 0 && recording->rows;
}

bool bw_comparison_read(bw_comparison *all, const char *path)
{
    bool from_stdin = strcmp(path, "-") == 0;
    all->recordings =
        bw_realloc(all->recordings, (all->recording_count + 1) * sizeof *all->recordings);
    bw_recording *recording = &all->recordings[all->recording_count++];
    *recording = (bw_recording){.file = from_stdin ? "<stdin>" : path,
                                .arch = all->args->values[BW_OPTION_ARCH].arch};
    FILE *file = from_stdin ? stdin : fopen(path, "rb");
    if (!file) {
        bw_complain_of(BW_MSG_CANNOT_READ, NULL, "read", path, errno);
        return false;
    }
    bw_stream_reader *reader = bw_stream_open(file, recording->file);
    bool good = read_rows(all, recording, reader);
    bw_stream_close(reader);
    if (!from_stdin)
        fclose(file);
    return good;
}

/* ---- all together ---- */

void bw_comparison_begin(bw_comparison *all, const bw_args *args)
{
    *all = (bw_comparison){.args = args};
    for (int i = 0; i < BW_COLUMN_OWN; i++)
        bw_sampler_init(&all->samples[i], BW_COMPARE_SAMPLE);
    bw_sampler_init(&all->times, BW_COMPARE_SAMPLE);
}

void bw_comparison_end(bw_comparison *all)
{
    if (all->cell_count)
        qsort(all->cells, all->cell_count, sizeof *all->cells, by_predicted);
    free(all->slots);
    all->slots = NULL;
}

void bw_comparison_finish(bw_comparison *all)
{
    for (int i = 0; i < BW_COLUMN_OWN; i++)
        bw_sampler_finish(&all->samples[i]);
    bw_sampler_finish(&all->times);
    free(all->recordings);
    free(all->cells);
    free(all->slots);
    free(all->mismatches);
    bw_arena_finish(&all->arena);
}

static void add_score(bw_score *sum, const bw_score *more)
{
    sum->rows += more->rows;
    sum->equal += more->equal;
    sum->over += more->over;
    sum->under += more->under;
    sum->exempt += more->exempt;
    sum->unstable += more->unstable;
    sum->empty += more->empty;
    for (int i = 0; i < BW_BASELINE_COUNT; i++)
        sum->baseline[i] += more->baseline[i];
    sum->error_sum += more->error_sum;
    sum->error_rows += more->error_rows;
}

bw_score bw_comparison_total(const bw_comparison *all, bw_column_id column)
{
    bw_score sum = {0};
    for (int op = 0; op < BW_OP_COUNT; op++)
        add_score(&sum, &all->scores[column][op]);
    return sum;
}

bw_score bw_comparison_own(const bw_comparison *all, bw_op op)
{
    bw_score sum = {0};
    for (int i = 0; i < BW_COLUMN_OWN; i++) {
        bw_score total = bw_comparison_total(all, (bw_column_id)i);
        add_score(&sum, op == BW_OP_COUNT ? &total : &all->scores[i][op]);
    }
    return sum;
}

double bw_score_mape(const bw_score *score)
{
    return score->error_rows ? score->error_sum / (double)score->error_rows : 0;
}

/* 100 % means all rows and not nearly all. Below, a percentage like 67.9 has no exact double, so
 * that 679 rows of 1000 may seem a hair too few. */
static bool reaches(const bw_score *total, double percent)
{
    double wanted = percent * (double)total->rows;
    return percent >= 100 ? total->equal == total->rows
                          : 100.0 * (double)total->equal >= wanted * (1 - 4 * DBL_EPSILON);
}

bool bw_comparison_passes(const bw_comparison *all)
{
    const bw_value *least = &all->args->values[BW_OPTION_MIN_MATCH];
    uint64_t scored = 0;
    bool good = true;
    for (int i = 0; i < BW_COLUMN_IDS; i++) {
        bw_score total = bw_comparison_total(all, (bw_column_id)i);
        scored += total.rows;
        good &= !total.rows || reaches(&total, least->real);
    }
    return !least->given || (good && scored);
}
