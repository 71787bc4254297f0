/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "fix.h"

#include <stdlib.h>
#include <string.h>

#define NO_SUBJECT UINT32_MAX
/* Arrays of one launch; more are not told apart. */
#define MAX_ARRAYS 64

/* Under other random values a gain must be so many standard errors. */
#define LEAST_ERRORS 4

/* ---- running ---- */

typedef bool (*each_request)(void *context, size_t launch, const bw_origin *origin,
                             const bw_request *request, uint64_t copies);

typedef struct runner {
    each_request each;
    void *context;
    size_t launch;
} runner;

static bool pass_on(void *context, const bw_origin *origin, const bw_request *request,
                    uint64_t copies)
{
    runner *r = context;
    return r->each(r->context, r->launch, origin, request, copies);
}

/* All launches, all trials, with the same random values each time. */
static bool run_series(bw_fix *fix, bw_pattern *pattern, unsigned series, each_request each,
                       void *context, bw_diags *diags)
{
    const bw_launch *launches;
    size_t count = bw_pattern_launches(pattern, &launches);
    unsigned trials = bw_pattern_is_random(pattern) ? fix->options.trials : 1;
    runner r = {each, context, 0};
    bw_sink sink = {&r, pass_on};
    for (r.launch = 0; r.launch < count; r.launch++) {
        if (fix->options.reseed)
            fix->options.reseed(fix->options.context, series);
        for (unsigned trial = 0; trial < trials; trial++) {
            bw_run run;
            if (!bw_pattern_run(pattern, r.launch, &sink, &run, diags))
                return false;
        }
    }
    return true;
}

static bool run_all(bw_fix *fix, bw_pattern *pattern, each_request each, void *context,
                    bw_diags *diags)
{
    return run_series(fix, pattern, 0, each, context, diags);
}

static void begin_run(bw_fix_run *run, const bw_pattern *pattern, const bw_arch *arch)
{
    const bw_launch *launches;
    run->launches = bw_pattern_launches(pattern, &launches);
    run->tallies = bw_calloc(run->launches, sizeof *run->tallies);
    run->shared = bw_calloc(run->launches, sizeof *run->shared);
    for (size_t i = 0; i < run->launches; i++) {
        bw_tally_init(&run->tallies[i], arch);
        run->shared[i] = launches[i].shared_bytes;
    }
}

static void end_run(bw_fix_run *run)
{
    run->total = (bw_counts){0};
    for (size_t i = 0; i < run->launches; i++) {
        bw_counts one = bw_tally_total(&run->tallies[i]);
        bw_counts_add(&run->total, &one);
    }
}

static void finish_run(bw_fix_run *run)
{
    for (size_t i = 0; i < run->launches; i++)
        bw_tally_finish(&run->tallies[i]);
    free(run->tallies);
    free(run->shared);
    *run = (bw_fix_run){0};
}

/* ---- which array a request is about ---- */

/* The arrays of each launch of a pattern, and the subject each is part of. */
typedef struct atlas {
    const bw_array *arrays;
    size_t count;
    uint32_t subject[MAX_ARRAYS], instance[MAX_ARRAYS];
} atlas;

typedef struct recorder {
    bw_fix *fix;
    atlas *launches;      /* malloc'd */
    bw_subject *subjects; /* all arrays; malloc'd */
    size_t count, capacity;
} recorder;

static size_t array_at(const bw_array *arrays, size_t count, uint32_t address)
{
    size_t i = 0;
    while (i < count && (address < arrays[i].base || address - arrays[i].base >= arrays[i].bytes))
        i++;
    return i;
}

static uint32_t subject_at(recorder *rec, const bw_array *array)
{
    for (size_t i = 0; i < rec->count; i++)
        if (rec->subjects[i].span.offset == array->span.offset &&
            strcmp(rec->subjects[i].name, array->name) == 0)
            return (uint32_t)i;
    BW_GROW(rec->subjects, rec->count, rec->capacity);
    rec->subjects[rec->count] = (bw_subject){.name = array->name,
                                             .span = array->span,
                                             .shape = bw_array_shape(&rec->fix->arena, array),
                                             .traffic.arch = rec->fix->options.pattern.arch};
    return (uint32_t)rec->count++;
}

static void begin_atlas(recorder *rec)
{
    size_t launches = rec->fix->before.launches;
    rec->launches = bw_calloc(launches, sizeof *rec->launches);
    for (size_t i = 0; i < launches; i++) {
        atlas *at = &rec->launches[i];
        at->count = bw_pattern_arrays(rec->fix->pattern, i, &at->arrays);
        at->count = at->count < MAX_ARRAYS ? at->count : MAX_ARRAYS;
        for (size_t k = 0; k < at->count; k++) {
            at->subject[k] = subject_at(rec, &at->arrays[k]);
            at->instance[k] =
                bw_traffic_instance(&rec->subjects[at->subject[k]].traffic, &at->arrays[k]);
        }
    }
}

static void note_access(bw_fix *fix, uint32_t access, uint32_t subject)
{
    while (fix->access_count <= access) {
        if ((fix->access_count & (fix->access_count - 1)) == 0)
            fix->subject_of =
                bw_realloc(fix->subject_of, 2 * (fix->access_count + 1) * sizeof *fix->subject_of);
        fix->subject_of[fix->access_count++] = NO_SUBJECT;
    }
    if (fix->subject_of[access] == NO_SUBJECT)
        fix->subject_of[access] = subject;
}

static bool record(void *context, size_t launch, const bw_origin *origin, const bw_request *request,
                   uint64_t copies)
{
    recorder *rec = context;
    atlas *at = &rec->launches[launch];
    uint32_t lanes = bw_request_lanes(request);
    if (!bw_tally_add(&rec->fix->before.tallies[launch], origin->access, origin->warp,
                      origin->block, request, copies))
        return false;
    uint32_t first = lanes ? request->addr[__builtin_ctz(lanes)] : 0;
    size_t k = array_at(at->arrays, at->count, first);
    if (k == at->count)
        return true;
    note_access(rec->fix, origin->access, at->subject[k]);
    bw_traffic_add(&rec->subjects[at->subject[k]].traffic, at->instance[k], origin->access, request,
                   copies);
    return true;
}

/* The model refuses what the architecture has not. */
static bool refused(const bw_fix *fix, const bw_fix_run *run, bw_pattern *pattern,
                    const bw_source *source, bw_diags *diags)
{
    for (size_t i = 0; i < run->launches; i++) {
        const bw_tally *t = &run->tallies[i];
        const bw_access *accesses;
        if (t->status == BW_OK)
            continue;
        bw_pattern_accesses(pattern, &accesses);
        bw_error(diags, source, accesses[t->failed_row].span, "%s on %s: %s",
                 bw_op_get(t->failed.op)->name, fix->options.pattern.arch->name,
                 bw_status_text(t->status));
        return true;
    }
    return false;
}

/* ---- a changed source must ask the same, moved ---- */

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * UINT64_C(0xFF51AFD7ED558CCD);
    return h ^ h >> 32;
}

static uint64_t hash_request(uint32_t access, const bw_request *r)
{
    uint64_t h = mix(access, (uint64_t)r->op << 32 | r->active);
    for (uint32_t left = bw_request_lanes(r); left; left &= left - 1)
        h = mix(h, r->addr[__builtin_ctz(left)]);
    return mix(h, 1);
}

typedef struct expecter {
    recorder *rec;
    uint32_t subject;
    bw_proposal *proposals;
    size_t count;
} expecter;

/* The address in the changed program; UINT64_MAX where it lies in no array. */
static uint64_t moved(const bw_proposal *p, size_t launch, const atlas *at, uint32_t subject,
                      uint32_t address)
{
    const bw_array *now;
    size_t k = array_at(at->arrays, at->count, address);
    size_t count = bw_pattern_arrays(p->pattern, launch, &now);
    if (k >= at->count || k >= count)
        return UINT64_MAX;
    uint32_t offset = address - at->arrays[k].base;
    if (at->subject[k] != subject)
        return (uint64_t)now[k].base + offset;
    return now[k].base + bw_placed_at(&p->places[at->instance[k]], offset);
}

static bool expect_request(void *context, size_t launch, const bw_origin *origin,
                           const bw_request *request, uint64_t copies)
{
    expecter *e = context;
    const atlas *at = &e->rec->launches[launch];
    for (size_t i = 0; i < e->count; i++) {
        bw_request r = *request;
        for (uint32_t left = bw_request_lanes(request); left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            r.addr[lane] =
                (uint32_t)moved(&e->proposals[i], launch, at, e->subject, request->addr[lane]);
        }
        e->proposals[i].expected[launch] += copies * hash_request(origin->access, &r);
    }
    return true;
}

typedef struct verifier {
    bw_proposal *proposal;
    uint64_t *hashes;
} verifier;

static bool verify_request(void *context, size_t launch, const bw_origin *origin,
                           const bw_request *request, uint64_t copies)
{
    verifier *v = context;
    v->hashes[launch] += copies * hash_request(origin->access, request);
    return bw_tally_add(&v->proposal->after.tallies[launch], origin->access, origin->warp,
                        origin->block, request, copies);
}

/* Runs the changed source. False where it is not the old program with its data moved. */
static bool verify(bw_fix *fix, bw_proposal *p)
{
    bw_diags diags = {.count = 0};
    begin_run(&p->after, p->pattern, fix->options.pattern.arch);
    verifier v = {p, bw_calloc(p->after.launches + 1, sizeof(uint64_t))};
    bool good = run_all(fix, p->pattern, verify_request, &v, &diags) && !diags.errors;
    for (size_t i = 0; good && i < p->after.launches; i++)
        good = p->after.tallies[i].status == BW_OK && v.hashes[i] == p->expected[i];
    end_run(&p->after);
    free(v.hashes);
    bw_diags_finish(&diags);
    return good;
}

/* ---- gains by chance ---- */

/* The requests of one array under other random values. */
typedef struct control {
    recorder *rec;
    uint32_t subject;
    bw_traffic traffic;
} control;

static bool record_control(void *context, size_t launch, const bw_origin *origin,
                           const bw_request *request, uint64_t copies)
{
    control *c = context;
    const atlas *at = &c->rec->launches[launch];
    uint32_t lanes = bw_request_lanes(request);
    uint32_t first = lanes ? request->addr[__builtin_ctz(lanes)] : 0;
    size_t k = array_at(at->arrays, at->count, first);
    if (k < at->count && at->subject[k] == c->subject)
        bw_traffic_add(&c->traffic, at->instance[k], origin->access, request, copies);
    return true;
}

/* The best of many layouts over some random values is always a little better: a gain that other
 * values do not show was chance. */
static void drop_chance(bw_fix *fix, recorder *rec, bw_subject *s, uint32_t index)
{
    bw_diags diags = {.count = 0};
    control c = {.rec = rec, .subject = index, .traffic.arch = s->traffic.arch};
    for (uint32_t i = 0; i < s->traffic.array_count; i++)
        bw_traffic_instance(&c.traffic, s->traffic.arrays[i]);
    c.traffic.random = true;
    bool good = run_series(fix, fix->pattern, 1, record_control, &c, &diags);
    bw_traffic_seal(&c.traffic);
    for (int kind = 0; kind < BW_LAYOUT_KINDS; kind++) {
        bw_found *found = &s->search.best[kind];
        double mean, error;
        found->found = found->found && good &&
                       bw_layout_gain(&c.traffic, &found->layout, &mean, &error) && mean > 0 &&
                       mean >= LEAST_ERRORS * error;
    }
    bw_traffic_finish(&c.traffic);
    bw_diags_finish(&diags);
}

/* ---- from a layout to a proposal ---- */

static void finish_proposal(bw_proposal *p)
{
    finish_run(&p->after);
    bw_pattern_destroy(p->pattern);
    free(p->places);
    free(p->expected);
    *p = (bw_proposal){.pattern = NULL};
}

/* An access of the array that is not written as the array with all its indices. */
static bw_span odd_access(const bw_fix *fix, const bw_subject *s)
{
    const bw_access *accesses;
    const bw_array *a = s->traffic.arrays[0];
    size_t count = bw_pattern_accesses(fix->pattern, &accesses);
    for (size_t k = 0; k < count; k++) {
        bw_span at = accesses[k].span;
        bool plain = !bw_fix_is_access_of(fix, k, s);
        for (unsigned i = 0; i < a->use_count; i++)
            plain |= a->uses[i].name.offset >= at.offset &&
                     a->uses[i].name.offset < at.offset + at.len && a->uses[i].count == a->dims;
        if (!plain)
            return at;
    }
    return s->span;
}

static void add_obstacle(bw_subject *s, bw_layout_kind kind, const char *why, bw_span where)
{
    if (s->obstacle_count < BW_LAYOUT_KINDS)
        s->obstacles[s->obstacle_count++] = (bw_obstacle){kind, why, where};
}

static bool change_text(bw_fix *fix, bw_subject *s, bw_proposal *p)
{
    const bw_launch *launches;
    size_t count = s->traffic.array_count, launch_count;
    bw_span *spans = bw_arena_alloc(&fix->arena, (count + 1) * sizeof *spans);
    launch_count = bw_pattern_launches(fix->pattern, &launches);
    size_t next = 0;
    for (size_t i = 0; i < launch_count; i++) {
        const bw_array *arrays;
        size_t n = bw_pattern_arrays(fix->pattern, i, &arrays);
        for (size_t k = 0; k < n; k++)
            if (next < count && &arrays[k] == s->traffic.arrays[next])
                spans[next++] = launches[i].span;
    }
    bw_rewrite_target target = {fix->source, s->traffic.arrays, spans, count};
    bw_edits edits = {.arena = &fix->arena};
    bool good = bw_rewrite(&edits, &target, &p->layout);
    p->text = good ? bw_edits_apply(&edits, fix->source, &p->len) : NULL;
    if (!p->text)
        add_obstacle(s, p->layout.kind,
                     edits.why ? edits.why : "two changes meet at one place in the source",
                     edits.why ? edits.where : s->span);
    bw_edits_finish(&edits);
    return p->text != NULL;
}

static bool parse_change(bw_fix *fix, bw_subject *s, bw_proposal *p)
{
    const bw_launch *launches;
    bw_diags diags = {.count = 0};
    /* the pattern keeps the address of its source, and proposals move in memory */
    bw_source *source = bw_arena_alloc(&fix->arena, sizeof *source);
    *source = (bw_source){fix->source->name, p->text, p->len};
    p->pattern = bw_pattern_parse(source, &fix->options.pattern, &diags);
    p->source = *source;
    bool good =
        diags.errors == 0 && bw_pattern_launches(p->pattern, &launches) == fix->before.launches;
    if (!good)
        add_obstacle(s, p->layout.kind,
                     diags.count ? bw_arena_format(&fix->arena, "the changed file has an error: %s",
                                                   diags.items[0].message)
                                 : "the changed file cannot be read",
                     s->span);
    bw_diags_finish(&diags);
    return good;
}

/* What a block may have: the limit, and where all is static what nvcc lets be static, so that the
 * file still compiles as it is written. */
static uint32_t room_of(const bw_fix *fix, size_t launch)
{
    const bw_arch *arch = fix->options.pattern.arch;
    uint64_t most = fix->options.max_shared ? fix->options.max_shared : arch->shared_per_block;
    if (fix->before.shared[launch] <= arch->shared_static && most > arch->shared_static)
        most = arch->shared_static;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static bool fits(const bw_fix *fix, const bw_proposal *p)
{
    const bw_launch *launches;
    size_t count = bw_pattern_launches(p->pattern, &launches);
    for (size_t i = 0; i < count; i++)
        if (launches[i].shared_bytes > fix->before.shared[i] &&
            launches[i].shared_bytes > room_of(fix, i))
            return false;
    return true;
}

static int64_t allowed_growth(const bw_fix *fix, const bw_subject *s)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < fix->before.launches; i++) {
        int64_t room = (int64_t)room_of(fix, i) - fix->before.shared[i];
        if (bw_fix_in_launch(fix, i, s) && room < least)
            least = room;
    }
    return least > 0 ? least : 0;
}

static bool place_proposal(const bw_subject *s, bw_proposal *p, size_t launches)
{
    p->places = bw_calloc(s->traffic.array_count, sizeof *p->places);
    p->expected = bw_calloc(launches + 1, sizeof *p->expected);
    for (uint32_t i = 0; i < s->traffic.array_count; i++)
        if (!bw_layout_place(&p->places[i], &p->layout, s->traffic.arrays[i]))
            return false;
    return true;
}

static bool draft(bw_fix *fix, bw_subject *s, const bw_found *found, bw_proposal *p)
{
    *p = (bw_proposal){.layout = found->layout, .growth = found->growth, .burden = found->burden};
    const bw_array *array = s->traffic.arrays[0];
    bw_layout shown = p->layout;
    p->title = bw_layout_title(&fix->arena, &shown, array);
    p->reason = bw_layout_reason(&fix->arena, &shown, array);
    if (fix->options.search.tma) {
        unsigned bits = p->layout.bits;
        p->title = bw_arena_format(&fix->arena, "the %u-byte mode of the bulk copy engine: %s",
                                   16u << bits, p->title);
        p->reason =
            bw_arena_format(&fix->arena, "%s; the engine wants the array aligned to %u bytes",
                            p->reason, 128u << bits);
    }
    if (!change_text(fix, s, p) || !parse_change(fix, s, p))
        return false;
    if (!fits(fix, p)) {
        add_obstacle(s, p->layout.kind, "the block would need more shared memory than it may have",
                     s->span);
        return false;
    }
    return place_proposal(s, p, fix->before.launches);
}

/* ---- expectations of the changed file ---- */

static bool line_value(const bw_pattern *pattern, const bw_tally *tally, const bw_expect *e,
                       uint64_t *value)
{
    const bw_access *accesses;
    size_t count = bw_pattern_accesses(pattern, &accesses);
    bool touched = false;
    *value = 0;
    for (size_t i = 0; i < count && i < tally->count; i++) {
        const bw_tally_row *row = &tally->rows[i];
        if (accesses[i].line != e->line || !row->counts.requests)
            continue;
        touched = true;
        switch (e->kind) {
        case BW_EXPECT_WAVEFRONTS: *value += row->counts.wavefronts; break;
        case BW_EXPECT_EXCESSIVE: *value += bw_counts_excessive(&row->counts); break;
        case BW_EXPECT_CYCLES: *value += row->counts.cycles; break;
        default: *value = row->degree > *value ? row->degree : *value; break;
        }
    }
    return touched;
}

/* The one value of all launches that come by the line; false where they differ. */
static bool common_value(const bw_pattern *pattern, const bw_fix_run *run, const bw_expect *e,
                         uint64_t *value)
{
    bool any = false;
    for (size_t i = 0; i < run->launches; i++) {
        uint64_t one;
        if (!line_value(pattern, &run->tallies[i], e, &one))
            continue;
        if (any && one != *value)
            return false;
        any = true;
        *value = one;
    }
    return any;
}

static const char *expect_text(bw_arena *arena, bw_expect_kind kind, uint64_t value)
{
    const char *unit = kind == BW_EXPECT_WAVEFRONTS  ? " wavefronts"
                       : kind == BW_EXPECT_EXCESSIVE ? " excessive"
                       : kind == BW_EXPECT_CYCLES    ? " cycles"
                                                     : "-way";
    return bw_arena_format(arena, "%llu%s", (unsigned long long)value, unit);
}

/* Comments that held before and no longer do say what holds now, so that the changed file passes
 * its check as the old one did. */
static void update_expectations(bw_fix *fix, bw_proposal *p)
{
    const bw_expect *old, *now;
    size_t count = bw_pattern_expects(fix->pattern, &old);
    bw_edits edits = {.arena = &fix->arena};
    if (bw_pattern_is_random(fix->pattern) || count != bw_pattern_expects(p->pattern, &now))
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t before, after, wanted = old[i].kind == BW_EXPECT_CONFLICT_FREE ? 1 : old[i].value;
        bool held = common_value(fix->pattern, &fix->before, &old[i], &before) && before == wanted;
        if (held && common_value(p->pattern, &p->after, &now[i], &after) && after != before)
            bw_edit_add(&edits, now[i].span, expect_text(&fix->arena, now[i].kind, after));
    }
    size_t len;
    char *text = edits.count ? bw_edits_apply(&edits, &p->source, &len) : NULL;
    if (text) {
        p->text = text;
        p->len = len;
    }
    bw_edits_finish(&edits);
}

/* ---- a subject ---- */

static int by_merit(const void *left, const void *right)
{
    const bw_proposal *a = left, *b = right;
    if (a->after.total.cycles != b->after.total.cycles)
        return a->after.total.cycles < b->after.total.cycles ? -1 : 1;
    if (a->growth != b->growth)
        return a->growth < b->growth ? -1 : 1;
    return (a->burden > b->burden) - (a->burden < b->burden);
}

static int64_t block_growth(const bw_fix *fix, const bw_proposal *p)
{
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < p->after.launches; i++) {
        int64_t one = (int64_t)p->after.shared[i] - fix->before.shared[i];
        most = (one > most && one) || most == INT64_MIN ? one : most;
    }
    return most;
}

static bool is_as_good(const bw_found *a, const bw_found *b)
{
    return a->found && a->cycles <= b->cycles && a->growth <= b->growth;
}

/* A swizzle of the whole index is worth a line only where no XOR of a column does as well, another
 * order of the dimensions with padding only where padding alone does not. */
static bool is_shadowed(const bw_subject *s, bw_layout_kind kind)
{
    const bw_found *best = s->search.best;
    if (kind == BW_LAYOUT_SWIZZLE)
        return is_as_good(&best[BW_LAYOUT_XOR], &best[kind]);
    return kind == BW_LAYOUT_ORDER && is_as_good(&best[BW_LAYOUT_PAD], &best[kind]);
}

/* The modes of the copy engine are written as the XOR of a column that they are. */
static void as_column_xor(const bw_subject *s, bw_found *found)
{
    const bw_array *a = s->traffic.arrays[0];
    const bw_layout *l = &found->layout;
    if (l->kind != BW_LAYOUT_SWIZZLE || a->dims < 2 || l->distance < 0)
        return;
    unsigned columns = 0;
    while (columns < 16 && 1u << columns < a->dim[a->dims - 1])
        columns++;
    bw_layout x = {.kind = BW_LAYOUT_XOR,
                   .row = (uint8_t)(a->dims - 2),
                   .bits = l->bits,
                   .base = l->base,
                   .factor = 1,
                   .shift = (uint8_t)(l->base + l->distance - columns)};
    bw_layout back;
    if (l->base + l->distance >= (int)columns && l->base + l->bits <= (int)columns &&
        bw_xor_as_swizzle(&x, a, &back) && back.distance == l->distance)
        found->layout = x;
}

static void draft_all(bw_fix *fix, bw_subject *s)
{
    for (int kind = 0; kind < BW_LAYOUT_KINDS; kind++) {
        bw_found found = s->search.best[kind];
        if (!found.found || found.cycles >= s->search.cycles ||
            is_shadowed(s, (bw_layout_kind)kind))
            continue;
        as_column_xor(s, &found);
        if (draft(fix, s, &found, &s->proposals[s->count]))
            s->count++;
        else
            finish_proposal(&s->proposals[s->count]);
    }
}

/* Proposals that are proved stay; the others become obstacles. */
static void prove_all(bw_fix *fix, recorder *rec, bw_subject *s, uint32_t index)
{
    bw_diags diags = {.count = 0};
    expecter e = {rec, index, s->proposals, s->count};
    bool good = run_all(fix, fix->pattern, expect_request, &e, &diags);
    bw_diags_finish(&diags);
    size_t kept = 0, drafted = s->count;
    for (size_t i = 0; i < drafted; i++) {
        bw_proposal *p = &s->proposals[i];
        bool proved = good && verify(fix, p) && p->after.total.cycles < fix->before.total.cycles;
        if (!proved) {
            add_obstacle(s, p->layout.kind,
                         "this access has a pointer or a stride of its own, and would miss the "
                         "elements that move",
                         odd_access(fix, s));
            finish_proposal(p);
            continue;
        }
        p->growth = block_growth(fix, p);
        p->reaches_bound = !s->partial && fix->before.total.cycles - p->after.total.cycles ==
                                              s->search.cycles - s->search.bound;
        update_expectations(fix, p);
        bw_proposal whole = *p;
        s->proposals[kept++] = whole;
    }
    s->count = kept;
    if (kept)
        qsort(s->proposals, kept, sizeof *s->proposals, by_merit);
}

static void find_periods(const bw_subject *s, bw_search_options *options)
{
    unsigned count = 0;
    const bw_array *a = s->traffic.arrays[0];
    for (unsigned i = 0; a->dims == 1 && i < a->use_count; i++)
        for (unsigned k = 0; k < a->uses[i].subscripts[0].factor_count; k++) {
            int64_t value = a->uses[i].subscripts[0].factors[k].value;
            bool known = value < 2 || value >= a->dim[0];
            for (unsigned j = 0; j < count; j++)
                known |= options->periods[j] == value;
            if (!known && count < BW_MAX_PERIODS)
                options->periods[count++] = (uint32_t)value;
        }
}

static bw_verdict verdict_of(const bw_subject *s)
{
    bool at_bound = s->before.excess_layout == 0; /* of all requests, searched or not */
    if (s->count)
        return s->proposals[0].reaches_bound ? BW_VERDICT_BEST : BW_VERDICT_BEST_FOUND;
    if (at_bound)
        return BW_VERDICT_NONE;
    return s->obstacle_count ? BW_VERDICT_NOT_WRITABLE : BW_VERDICT_NONE_FOUND;
}

static void solve(bw_fix *fix, recorder *rec, bw_subject *s, uint32_t index)
{
    bw_search_options options = fix->options.search;
    find_periods(s, &options);
    options.limited = true;
    options.max_growth = allowed_growth(fix, s);
    s->traffic.random = bw_pattern_is_random(fix->pattern);
    bw_traffic_seal(&s->traffic);
    s->partial = s->traffic.missed || s->traffic.mixed;
    bw_search_layouts(&s->search, &s->traffic, &options);
    fix->interrupted |= s->search.interrupted;
    if (s->traffic.random)
        drop_chance(fix, rec, s, index);
    s->proposals = bw_calloc(BW_LAYOUT_KINDS, sizeof *s->proposals);
    draft_all(fix, s);
    if (s->count)
        prove_all(fix, rec, s, index);
    s->verdict = verdict_of(s);
    s->solved = true;
}

bool bw_fix_is_access_of(const bw_fix *fix, size_t access, const bw_subject *s)
{
    return access < fix->access_count && fix->subject_of[access] < fix->count &&
           &fix->subjects[fix->subject_of[access]] == s;
}

bw_counts bw_fix_counts(const bw_fix *fix, const bw_fix_run *run, const bw_subject *s)
{
    bw_counts sum = {0};
    for (size_t i = 0; i < run->launches; i++)
        for (size_t k = 0; k < run->tallies[i].count; k++)
            if (bw_fix_is_access_of(fix, k, s))
                bw_counts_add(&sum, &run->tallies[i].rows[k].counts);
    return sum;
}

bool bw_fix_in_launch(const bw_fix *fix, size_t launch, const bw_subject *s)
{
    const bw_array *arrays;
    size_t count = bw_pattern_arrays(fix->pattern, launch, &arrays);
    for (size_t i = 0; i < count; i++)
        if (arrays[i].span.offset == s->span.offset && strcmp(arrays[i].name, s->name) == 0)
            return true;
    return false;
}

static bool is_wanted(const bw_fix *fix, const bw_subject *s)
{
    return bw_counts_excessive(&s->before) &&
           (!fix->options.array || strcmp(fix->options.array, s->name) == 0);
}

bool bw_fix_make(bw_fix *fix, const bw_source *source, const bw_fix_options *options,
                 bw_diags *diags)
{
    *fix = (bw_fix){.source = source, .options = *options};
    if (!fix->options.pattern.arch)
        fix->options.pattern.arch = bw_arch_find("sm_90");
    if (!fix->options.trials)
        fix->options.trials = 1;
    size_t errors = diags->errors;
    fix->pattern = bw_pattern_parse(source, &fix->options.pattern, diags);
    if (diags->errors != errors)
        return false;
    recorder rec = {.fix = fix};
    begin_run(&fix->before, fix->pattern, fix->options.pattern.arch);
    begin_atlas(&rec);
    bool good = run_all(fix, fix->pattern, record, &rec, diags) &&
                !refused(fix, &fix->before, fix->pattern, source, diags);
    end_run(&fix->before);
    fix->subjects = rec.subjects;
    fix->count = rec.count;
    for (size_t i = 0; i < rec.count; i++)
        rec.subjects[i].before = bw_fix_counts(fix, &fix->before, &rec.subjects[i]);
    for (uint32_t i = 0; good && i < rec.count; i++)
        if (is_wanted(fix, &rec.subjects[i]) && (!options->only || options->only == i + 1))
            solve(fix, &rec, &rec.subjects[i], i);
    free(rec.launches);
    return good;
}

void bw_fix_finish(bw_fix *fix)
{
    for (size_t i = 0; i < fix->count; i++) {
        bw_subject *s = &fix->subjects[i];
        for (size_t k = 0; k < s->count; k++)
            finish_proposal(&s->proposals[k]);
        free(s->proposals);
        bw_traffic_finish(&s->traffic);
    }
    free(fix->subjects);
    free(fix->subject_of);
    finish_run(&fix->before);
    bw_pattern_destroy(fix->pattern);
    bw_arena_finish(&fix->arena);
}

uint32_t bw_blocks_on_sm(const bw_arch *arch, uint32_t shared_bytes, uint32_t threads)
{
    /* Shared memory is given out in units: 128 bytes from sm_80 on and on Fermi, 256 between and
     * 512 before (CUDA Toolkit, cuda_occupancy.h, cudaOccSMemAllocationGranularity). */
    uint32_t unit = arch->cc >= 80 ? 128 : arch->cc >= 30 ? 256 : arch->cc >= 20 ? 128 : 512;
    uint32_t bytes = (shared_bytes + arch->shared_reserved + unit - 1) / unit * unit;
    uint32_t warps = (threads + BW_LANES - 1) / BW_LANES, most = arch->blocks_per_sm;
    if (warps && arch->warps_per_sm / warps < most)
        most = arch->warps_per_sm / warps;
    if (bytes && arch->shared_per_sm / bytes < most)
        most = arch->shared_per_sm / bytes;
    return most;
}
