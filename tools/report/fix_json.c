/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fix_report.h"

#include <jansson.h>

#include "report.h"

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* Sums over the trials of a random pattern, as they are. */
static json_t *counts_of(const bw_counts *c)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "requests", number(c->requests), "wavefronts",
                     number(c->wavefronts), "ideal", number(c->ideal), "excessive",
                     number(bw_counts_excessive(c)), "excess_layout", number(c->excess_layout),
                     "excess_serial", number(c->excess_serial), "cycles", number(c->cycles));
}

static bw_counts access_counts(const bw_fix_run *run, size_t access)
{
    bw_counts sum = {0};
    for (size_t i = 0; i < run->launches; i++)
        if (access < run->tallies[i].count)
            bw_counts_add(&sum, &run->tallies[i].rows[access].counts);
    return sum;
}

/* The accesses of an array in a run of the file, in the order of discovery. */
static json_t *accesses_of(const bw_fix *fix, const bw_subject *s, bw_program *pattern,
                           const bw_fix_run *run)
{
    const bw_access *accesses;
    size_t count = bw_program_accesses(pattern, &accesses);
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++) {
        if (!bw_fix_is_access_of(fix, k, s))
            continue;
        bw_counts sum = access_counts(run, k);
        json_t *one = counts_of(&sum);
        json_object_set_new(one, "line", number(accesses[k].line));
        json_object_set_new(one, "column", number(accesses[k].column));
        json_object_set_new(one, "source", bw_json_text(accesses[k].source));
        json_object_set_new(one, "op", json_string(bw_op_get(accesses[k].op)->name));
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *launches_of(const bw_fix *fix, const bw_fix_run *run)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(fix->pattern, &launches);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const uint32_t *b = launches[i].block;
        uint32_t blocks =
            bw_blocks_on_sm(fix->options.pattern.arch, run->shared[i], b[0] * b[1] * b[2]);
        json_array_append_new(array,
                              json_pack("{s:o,s:o,s:o}", "kernel", bw_json_text(launches[i].kernel),
                                        "shared_bytes", number(run->shared[i]), "blocks_per_sm",
                                        number(blocks)));
    }
    return array;
}

static json_t *proposal_of(const bw_fix *fix, const bw_subject *s, const bw_proposal *p)
{
    bw_arena arena = {NULL};
    bw_source changed = {fix->source->name, p->text, p->len};
    json_t *object = json_pack(
        "{s:s,s:o,s:o,s:I,s:b,s:o,s:o,s:o,s:o}", "kind", bw_layout_kind_name(p->layout.kind),
        "title", bw_json_text(p->title), "reason", bw_json_text(p->reason), "bytes",
        (json_int_t)p->growth, "optimal", (int)p->reaches_bound, "total",
        counts_of(&p->after.total), "accesses", accesses_of(fix, s, p->pattern, &p->after),
        "launches", launches_of(fix, &p->after), "diff",
        bw_json_text(bw_unified_diff(&arena, changed.name, fix->source, &changed)));
    bw_arena_finish(&arena);
    return object;
}

static const char *verdict_name(bw_verdict verdict)
{
    static const char *const names[] = {
        [BW_VERDICT_BEST] = "best",
        [BW_VERDICT_BEST_FOUND] = "best-found",
        [BW_VERDICT_NONE] = "none",
        [BW_VERDICT_NONE_FOUND] = "none-found",
        [BW_VERDICT_NOT_WRITABLE] = "not-writable",
    };
    _Static_assert(sizeof names / sizeof *names == BW_VERDICT_NOT_WRITABLE + 1, "a name for each");
    return names[verdict];
}

static json_t *obstacles_of(const bw_fix *fix, const bw_subject *s)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->obstacle_count; i++) {
        const bw_obstacle *o = &s->obstacles[i];
        bw_place place = bw_source_place(fix->source, o->where.offset);
        json_array_append_new(array,
                              json_pack("{s:s,s:i,s:i,s:o}", "kind", bw_layout_kind_name(o->kind),
                                        "line", (int)place.line, "column", (int)place.column, "why",
                                        bw_json_text(o->why)));
    }
    return array;
}

static json_t *subject_of(const bw_fix *fix, const bw_subject *s)
{
    bw_arena arena = {NULL};
    const char *advice;
    const char *words = bw_fix_verdict(&arena, fix, s, &advice);
    bw_place place = bw_source_place(fix->source, s->span.offset);
    json_t *proposals = json_array();
    for (size_t i = 0; i < s->count; i++)
        json_array_append_new(proposals, proposal_of(fix, s, &s->proposals[i]));
    json_t *object = json_pack(
        "{s:o,s:o,s:i,s:o,s:o,s:o,s:o,s:s,s:o,s:o,s:b,s:o,s:o}", "array", bw_json_text(s->name),
        "shape", bw_json_text(s->shape), "line", (int)place.line, "before", counts_of(&s->before),
        "bound", number(s->search.bound), "searched", number(s->search.tried), "accesses",
        accesses_of(fix, s, fix->pattern, &fix->before), "verdict", verdict_name(s->verdict),
        "words", bw_json_text(words), "advice", bw_json_text(advice), "partial", (int)s->partial,
        "proposals", proposals, "obstacles", obstacles_of(fix, s));
    bw_arena_finish(&arena);
    return object;
}

void bw_fix_json(const bw_fix_report *report)
{
    const bw_fix *fix = report->fix;
    json_t *arrays = json_array();
    for (size_t i = 0; i < fix->count; i++)
        if (fix->subjects[i].solved)
            json_array_append_new(arrays, subject_of(fix, &fix->subjects[i]));
    unsigned trials = bw_program_is_random(fix->pattern) ? fix->options.trials : 1;
    json_t *document =
        json_pack("{s:s,s:o,s:s,s:o,s:o,s:o,s:b,s:o,s:o}", "schema", "bankwise.fix/1", "file",
                  bw_json_text(fix->source->name), "arch", fix->options.pattern.arch->name,
                  "trials", number(trials), "total", counts_of(&fix->before.total), "launches",
                  launches_of(fix, &fix->before), "interrupted", (int)fix->interrupted, "arrays",
                  arrays, "diff", bw_json_text(report->diff));
    json_dumpf(document, report->out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    fputc('\n', report->out);
    json_decref(document);
}
