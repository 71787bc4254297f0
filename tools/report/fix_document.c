/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What fix found as a document. Counts are sums over the trials of a random pattern, as they are.
 */
#include "fix_report.h"
#include "report.h"

static bw_counts access_counts(const bw_fix_run *run, size_t access)
{
    bw_counts sum = {0};
    for (size_t i = 0; i < run->launches; i++)
        if (access < run->tallies[i].count)
            bw_counts_add(&sum, &run->tallies[i].rows[access].counts);
    return sum;
}

/* The excess that proposals would leave, as ".1" and so on, for the text table. */
static void put_left(bw_node *to, const bw_subject *s, size_t access)
{
    for (size_t i = 0; i < s->count && i < BW_LAYOUT_KINDS; i++) {
        bw_counts sum = access_counts(&s->proposals[i].after, access);
        bw_put_integer(to, bw_arena_format(to->arena, ".%zu", i + 1),
                       (int64_t)bw_counts_excessive(&sum));
    }
}

/* The accesses of an array in a run of the file, in the order of discovery. */
static void put_accesses(bw_node *parent, const bw_fix *fix, const bw_subject *s,
                         bw_program *pattern, const bw_fix_run *run)
{
    const bw_access *accesses;
    size_t count = bw_program_accesses(pattern, &accesses);
    bw_node *array = bw_put_array(parent, "accesses");
    for (size_t k = 0; k < count; k++) {
        if (!bw_fix_is_access_of(fix, k, s))
            continue;
        bw_counts sum = access_counts(run, k);
        bw_node *to = bw_put_object(array, NULL);
        bw_put_counts(to, &sum, 1);
        BW_PUT(to, BW_M("line", accesses[k].line), BW_M("column", accesses[k].column),
               BW_M("source", accesses[k].source), BW_M("op", bw_op_get(accesses[k].op)->name));
        bw_put_text(to, "array", accesses[k].array);
        bw_put_text(to, ".source", bw_access_text(to->arena, &accesses[k]));
        if (run == &fix->before)
            put_left(to, s, k);
    }
}

static void put_launches(bw_node *parent, const bw_fix *fix, const bw_fix_run *run)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(fix->pattern, &launches);
    bw_node *array = bw_put_array(parent, "launches");
    for (size_t i = 0; i < count; i++) {
        const uint32_t *b = launches[i].block;
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(to, BW_M("kernel", launches[i].kernel), BW_M("shared_bytes", run->shared[i]),
               BW_M("blocks_per_sm", bw_blocks_on_sm(fix->options.pattern.arch, run->shared[i],
                                                     b[0] * b[1] * b[2])));
    }
}

static void put_proposal(bw_node *parent, const bw_fix *fix, const bw_subject *s,
                         const bw_proposal *p)
{
    bw_source changed = {fix->source->name, p->text, p->len, NULL};
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("kind", bw_layout_kind_name(p->layout.kind)), BW_M("title", p->title),
           BW_M("reason", p->reason), BW_M("bytes", p->growth));
    bw_put_bool(to, "optimal", p->reaches_bound);
    bw_put_counts(bw_put_object(to, "total"), &p->after.total, 1);
    put_accesses(to, fix, s, p->pattern, &p->after);
    put_launches(to, fix, &p->after);
    bw_put_text(to, "diff", bw_unified_diff(to->arena, changed.name, fix->source, &changed));
}

static const char *answer_name(bw_answer answer)
{
    static const char *const names[] = {[BW_ANSWER_BEST] = "best",
                                        [BW_ANSWER_BEST_FOUND] = "best-found",
                                        [BW_ANSWER_NONE] = "none",
                                        [BW_ANSWER_NONE_FOUND] = "none-found",
                                        [BW_ANSWER_NOT_WRITABLE] = "not-writable",
                                        [BW_ANSWER_UNDECIDED] = "undecided"};
    _Static_assert(sizeof names / sizeof *names == BW_ANSWER_UNDECIDED + 1, "a name for each");
    return names[answer];
}

static void put_obstacles(bw_node *parent, const bw_fix *fix, const bw_subject *s)
{
    bw_node *array = bw_put_array(parent, "obstacles");
    for (size_t i = 0; i < s->obstacle_count; i++) {
        const bw_obstacle *o = &s->obstacles[i];
        bw_place place = bw_source_place(fix->source, o->where.offset);
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(to, BW_M("kind", bw_layout_kind_name(o->kind)), BW_M("line", place.line),
               BW_M("column", place.column), BW_M("why", o->why));
    }
}

static void put_subject(bw_node *parent, const bw_fix *fix, const bw_subject *s)
{
    const char *advice;
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("array", s->name), BW_M("shape", s->shape),
           BW_M("line", bw_source_place(fix->source, s->span.offset).line));
    bw_put_counts(bw_put_object(to, "before"), &s->before, 1);
    BW_PUT(to, BW_M("bound", s->search.bound), BW_M("searched", s->search.tried));
    put_accesses(to, fix, s, fix->pattern, &fix->before);
    BW_PUT(to, BW_M("verdict", answer_name(s->answer)),
           BW_M("words", bw_fix_answer(to->arena, fix, s, &advice)), BW_M("advice", advice));
    bw_put_bool(to, "partial", s->partial);
    bw_node *proposals = bw_put_array(to, "proposals");
    for (size_t i = 0; i < s->count; i++)
        put_proposal(proposals, fix, s, &s->proposals[i]);
    put_obstacles(to, fix, s);
}

static bw_node *document_of(bw_arena *arena, const bw_fix_report *report)
{
    const bw_fix *fix = report->fix;
    bw_node *document = bw_node_object(arena);
    BW_PUT(document, BW_M("schema", "bankwise.fix/1"), BW_M("file", fix->source->name),
           BW_M("arch", fix->options.pattern.arch->name),
           BW_M("trials", bw_program_is_random(fix->pattern) ? fix->options.trials : 1));
    bw_put_counts(bw_put_object(document, "total"), &fix->before.total, 1);
    put_launches(document, fix, &fix->before);
    bw_put_bool(document, "interrupted", fix->interrupted);
    bw_node *arrays = bw_put_array(document, "arrays");
    for (size_t i = 0; i < fix->count; i++)
        if (fix->subjects[i].solved)
            put_subject(arrays, fix, &fix->subjects[i]);
    bw_put_text(document, "diff", report->diff);
    return document;
}

void bw_fix_write(const bw_fix_report *report)
{
    bw_arena arena = {NULL};
    const bw_node *document = document_of(&arena, report);
    if (report->args->values[BW_OPTION_FORMAT].number == BW_FORMAT_JSON)
        bw_node_json(document, report->out, BW_JSON_INDENTED);
    else
        bw_fix_text(report, document);
    bw_arena_finish(&arena);
}
