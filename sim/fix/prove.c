/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "fix_private.h"

#include <stdlib.h>
#include <string.h>

/* Under other random values a gain must be so many standard errors. */
#define LEAST_ERRORS 4
/* Requests that such a gain is taken over, and series of other values until there are so many: of
 * three, all may gain by chance. */
#define LEAST_CONTROLS 32
#define MOST_SERIES 32

/* ---- running ---- */

typedef bool (*each_request)(void *context, size_t launch, const bw_request_origin *origin,
                             const bw_request *request, uint64_t copies);

typedef struct runner {
    each_request each;
    void *context;
    size_t launch;
} runner;

static bool pass_on(void *context, const bw_request_origin *origin, const bw_request *request,
                    uint64_t copies)
{
    runner *r = context;
    return r->each(r->context, r->launch, origin, request, copies);
}

/* All launches, all trials, with the same random values each time. */
static bool run_series(bw_fix *fix, bw_program *pattern, unsigned series, each_request each,
                       void *context, bw_diags *diags)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(pattern, &launches);
    unsigned trials = bw_program_is_random(pattern) ? fix->options.trials : 1;
    runner r = {each, context, 0};
    bw_sink sink = {&r, pass_on};
    for (r.launch = 0; r.launch < count; r.launch++) {
        if (fix->options.reseed)
            fix->options.reseed(fix->options.context, series);
        for (unsigned trial = 0; trial < trials; trial++) {
            bw_run run;
            if (!bw_program_run(pattern, r.launch, &sink, &run, diags))
                return false;
        }
    }
    return true;
}

static bool run_all(bw_fix *fix, bw_program *pattern, each_request each, void *context,
                    bw_diags *diags)
{
    return run_series(fix, pattern, 0, each, context, diags);
}

void bw_fix_run_begin(bw_fix_run *run, const bw_program *pattern, const bw_arch *arch)
{
    const bw_launch *launches;
    run->launches = bw_program_launches(pattern, &launches);
    run->tallies = bw_calloc(run->launches, sizeof *run->tallies);
    run->shared = bw_calloc(run->launches, sizeof *run->shared);
    for (size_t i = 0; i < run->launches; i++) {
        bw_tally_init(&run->tallies[i], arch);
        run->shared[i] = launches[i].shared_bytes;
    }
}

void bw_fix_run_end(bw_fix_run *run)
{
    run->total = (bw_counts){0};
    for (size_t i = 0; i < run->launches; i++) {
        bw_counts one = bw_tally_total(&run->tallies[i]);
        bw_counts_add(&run->total, &one);
    }
}

void bw_fix_run_finish(bw_fix_run *run)
{
    for (size_t i = 0; i < run->launches; i++)
        bw_tally_finish(&run->tallies[i]);
    free(run->tallies);
    free(run->shared);
    *run = (bw_fix_run){0};
}

/* ---- which array a request is about ---- */

static size_t array_at(const bw_array *arrays, size_t count, uint32_t address)
{
    size_t i = 0;
    while (i < count && (address < arrays[i].base || address - arrays[i].base >= arrays[i].bytes))
        i++;
    return i;
}

static uint32_t subject_at(bw_recorder *rec, const bw_array *array)
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

void bw_recorder_begin(bw_recorder *rec)
{
    size_t launches = rec->fix->before.launches;
    rec->launches = bw_calloc(launches, sizeof *rec->launches);
    for (size_t i = 0; i < launches; i++) {
        bw_atlas *at = &rec->launches[i];
        at->count = bw_pattern_arrays(rec->fix->pattern, i, &at->arrays);
        at->subject = bw_arena_alloc(&rec->fix->arena, (at->count + 1) * sizeof *at->subject);
        at->instance = bw_arena_alloc(&rec->fix->arena, (at->count + 1) * sizeof *at->instance);
        for (size_t k = 0; k < at->count; k++) {
            at->subject[k] = subject_at(rec, &at->arrays[k]);
            bw_subject *s = &rec->subjects[at->subject[k]];
            at->instance[k] = bw_traffic_instance(&s->traffic, &at->arrays[k]);
            s->group = at->arrays[k].group ? at->arrays[k].group : s->group;
        }
    }
}

static void note_access(bw_fix *fix, uint32_t access, uint32_t subject)
{
    while (fix->access_count <= access) {
        if ((fix->access_count & (fix->access_count - 1)) == 0)
            fix->subject_of =
                bw_realloc(fix->subject_of, 2 * (fix->access_count + 1) * sizeof *fix->subject_of);
        fix->subject_of[fix->access_count++] = BW_NO_SUBJECT;
    }
    if (fix->subject_of[access] == BW_NO_SUBJECT)
        fix->subject_of[access] = subject;
    if (bw_fix_is_access_at(fix, access, subject))
        return;
    BW_GROW(fix->also, fix->also_count, fix->also_capacity);
    fix->also[fix->also_count++] = (bw_further){access, subject};
}

/* Whether the request of `access` has asked for the subject of array k before this lane. */
static bool is_noted(const bw_atlas *at, const bw_request *request, unsigned lane, size_t k)
{
    uint32_t before = bw_request_lanes(request) & ((1u << lane) - 1);
    for (; before; before &= before - 1) {
        size_t other = array_at(at->arrays, at->count, request->addr[__builtin_ctz(before)]);
        if (other < at->count && at->subject[other] == at->subject[k])
            return true;
    }
    return false;
}

/* A request that asks several arrays counts for each of them, and is searched for none: moving one
 * alone tells nothing of what both can come to. */
static void note_others(bw_recorder *rec, const bw_atlas *at, size_t of,
                        const bw_request_origin *origin, const bw_request *request, uint64_t copies)
{
    const bw_array *own = &at->arrays[of];
    for (uint32_t left = bw_request_lanes(request); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t address = request->addr[lane];
        if (address - own->base < own->bytes)
            continue;
        size_t k = array_at(at->arrays, at->count, address);
        if (k == at->count || at->subject[k] == at->subject[of] || is_noted(at, request, lane, k))
            continue;
        note_access(rec->fix, origin->access, at->subject[k]);
        bw_traffic_mixed(&rec->subjects[at->subject[k]].traffic, request, copies);
    }
}

static bool record(void *context, size_t launch, const bw_request_origin *origin,
                   const bw_request *request, uint64_t copies)
{
    bw_recorder *rec = context;
    bw_atlas *at = &rec->launches[launch];
    uint32_t lanes = bw_request_lanes(request);
    if (!bw_tally_add(&rec->fix->before.tallies[launch], origin->access, origin->warp,
                      origin->block, request, copies))
        return false;
    uint32_t first = lanes ? request->addr[__builtin_ctz(lanes)] : 0;
    size_t k = array_at(at->arrays, at->count, first);
    if (k == at->count)
        return true;
    note_access(rec->fix, origin->access, at->subject[k]);
    note_others(rec, at, k, origin, request, copies);
    bw_traffic_add(&rec->subjects[at->subject[k]].traffic, at->instance[k], origin->access, request,
                   copies);
    return true;
}

/* The model refuses what the architecture has not. */
static bool is_refused(const bw_fix *fix, const bw_fix_run *run, bw_program *pattern,
                       const bw_source *source, bw_diags *diags)
{
    for (size_t i = 0; i < run->launches; i++) {
        const bw_tally *t = &run->tallies[i];
        const bw_access *accesses;
        if (t->status == BW_OK)
            continue;
        bw_program_accesses(pattern, &accesses);
        bw_diagnose(diags, bw_tally_message(t), source, accesses[t->failed_row].span,
                    "%s on %s: %s", bw_op_get(t->failed.op)->name, fix->options.pattern.arch->name,
                    bw_status_text(t->status));
        return true;
    }
    return false;
}

bool bw_fix_record(bw_recorder *rec, bw_diags *diags)
{
    bw_fix *fix = rec->fix;
    bool good = run_all(fix, fix->pattern, record, rec, diags) &&
                !is_refused(fix, &fix->before, fix->pattern, fix->source, diags);
    bw_fix_run_end(&fix->before);
    return good;
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
    bw_recorder *rec;
    uint32_t subject;
    bw_proposal *proposals;
    size_t count;
} expecter;

bool bw_fix_is_shared(const bw_layout *layout, const bw_array *array, const bw_array *other)
{
    bool of_struct = layout->kind == BW_LAYOUT_STRUCT || layout->kind == BW_LAYOUT_MEMBERS;
    return of_struct && array->struct_name && other->struct_name &&
           strcmp(array->struct_name, other->struct_name) == 0;
}

bool bw_fix_is_with(const bw_subject *s, const bw_subject *other)
{
    return s == other || (s->group && s->group == other->group);
}

/* Where an offset of another array goes: a change of a struct changes all arrays of it, and arrays
 * that one pointer serves change together. */
static uint64_t moved_beside(const bw_proposal *p, bool together, const bw_array *other,
                             uint32_t offset)
{
    bw_placement place;
    if (!together && !bw_fix_is_shared(&p->layout, p->places[0].array, other))
        return offset;
    return bw_layout_place(&place, &p->layout, other) ? bw_placed_at(&place, offset) : UINT64_MAX;
}

/* The address in the changed program; UINT64_MAX where it lies in no array. */
static uint64_t moved(const bw_recorder *rec, const bw_proposal *p, size_t launch, uint32_t subject,
                      uint32_t address)
{
    const bw_atlas *at = &rec->launches[launch];
    const bw_subject *all = rec->subjects;
    const bw_array *now;
    size_t k = array_at(at->arrays, at->count, address);
    size_t count = bw_pattern_arrays(p->pattern, launch, &now);
    if (k >= at->count || k >= count)
        return UINT64_MAX;
    uint32_t offset = address - at->arrays[k].base;
    if (at->subject[k] != subject)
        return now[k].base + moved_beside(p, bw_fix_is_with(&all[subject], &all[at->subject[k]]),
                                          &at->arrays[k], offset);
    return now[k].base + bw_placed_at(&p->places[at->instance[k]], offset);
}

static bool expect_request(void *context, size_t launch, const bw_request_origin *origin,
                           const bw_request *request, uint64_t copies)
{
    expecter *e = context;
    for (size_t i = 0; i < e->count; i++) {
        bw_request r = *request;
        for (uint32_t left = bw_request_lanes(request); left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            r.addr[lane] =
                (uint32_t)moved(e->rec, &e->proposals[i], launch, e->subject, request->addr[lane]);
        }
        e->proposals[i].expected[launch] += copies * hash_request(origin->access, &r);
    }
    return true;
}

typedef struct verifier {
    bw_proposal *proposal;
    uint64_t *hashes;
} verifier;

static bool verify_request(void *context, size_t launch, const bw_request_origin *origin,
                           const bw_request *request, uint64_t copies)
{
    verifier *v = context;
    v->hashes[launch] += copies * hash_request(origin->access, request);
    return bw_tally_add(&v->proposal->after.tallies[launch], origin->access, origin->warp,
                        origin->block, request, copies);
}

bool bw_fix_expect(bw_recorder *rec, uint32_t subject, bw_proposal *proposals, size_t count)
{
    bw_diags diags = {.count = 0};
    expecter e = {rec, subject, proposals, count};
    bool good = run_all(rec->fix, rec->fix->pattern, expect_request, &e, &diags);
    bw_diags_finish(&diags);
    return good;
}

bool bw_fix_verify(bw_fix *fix, bw_proposal *p)
{
    bw_diags diags = {.count = 0};
    bw_fix_run_begin(&p->after, p->pattern, fix->options.pattern.arch);
    verifier v = {p, bw_calloc(p->after.launches + 1, sizeof(uint64_t))};
    bool good = run_all(fix, p->pattern, verify_request, &v, &diags) && !diags.errors;
    for (size_t i = 0; good && i < p->after.launches; i++)
        good = p->after.tallies[i].status == BW_OK && v.hashes[i] == p->expected[i];
    bw_fix_run_end(&p->after);
    free(v.hashes);
    bw_diags_finish(&diags);
    return good;
}

/* ---- gains by chance ---- */

/* The requests of one array under other random values. */
typedef struct control {
    bw_recorder *rec;
    uint32_t subject;
    bw_traffic traffic;
} control;

static bool record_control(void *context, size_t launch, const bw_request_origin *origin,
                           const bw_request *request, uint64_t copies)
{
    control *c = context;
    const bw_atlas *at = &c->rec->launches[launch];
    uint32_t lanes = bw_request_lanes(request);
    uint32_t first = lanes ? request->addr[__builtin_ctz(lanes)] : 0;
    size_t k = array_at(at->arrays, at->count, first);
    if (k < at->count && at->subject[k] == c->subject)
        bw_traffic_add(&c->traffic, at->instance[k], origin->access, request, copies);
    return true;
}

/* The best of many layouts over some random values is always a little better: a gain that other
 * values do not show was chance. */
void bw_fix_drop_chance(bw_fix *fix, bw_recorder *rec, bw_subject *s, uint32_t index)
{
    bw_diags diags = {.count = 0};
    control c = {.rec = rec, .subject = index, .traffic.arch = s->traffic.arch};
    for (uint32_t i = 0; i < s->traffic.array_count; i++)
        bw_traffic_instance(&c.traffic, s->traffic.arrays[i]);
    c.traffic.random = true;
    bool good = true;
    for (unsigned series = 1; good && series <= MOST_SERIES; series++)
        if (series == 1 || c.traffic.total < LEAST_CONTROLS)
            good = run_series(fix, fix->pattern, series, record_control, &c, &diags);
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
