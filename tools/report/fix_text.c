/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fix_report.h"

#include <inttypes.h>
#include <string.h>

#include "reason.h"
#include "wrap.h"

typedef struct text {
    const bw_fix_report *report;
    const bw_fix *fix;
    bw_arena arena;
    FILE *out;
} text;

static void sentence(text *to, unsigned indent, const char *words)
{
    fprintf(to->out, "%*s", (int)indent, "");
    bw_print_wrapped(to->out, to->report->width - indent, indent, words);
}

/* ---- numbers of a proposal ---- */

/* Blocks to an SM in the launch where the array's block needs most. */
static uint32_t occupancy(const bw_fix *fix, const bw_subject *s, const bw_fix_run *run)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(fix->pattern, &launches);
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *b = launches[i].block;
        if (!bw_fix_in_launch(fix, i, s))
            continue;
        uint32_t blocks =
            bw_blocks_on_sm(fix->options.pattern.arch, run->shared[i], b[0] * b[1] * b[2]);
        least = blocks < least ? blocks : least;
    }
    return least;
}

static uint32_t most_shared(const bw_fix *fix, const bw_subject *s, const bw_fix_run *run)
{
    uint32_t most = 0;
    for (size_t i = 0; i < run->launches; i++)
        if (bw_fix_in_launch(fix, i, s))
            most = run->shared[i] > most ? run->shared[i] : most;
    return most;
}

/* ---- what is proved ---- */

/* The access with the most excess that is left: after the first proposal where there is one, and
 * only what no layout can remove where that is all there is. */
static const bw_tally_row *row_at_fault(const bw_fix *fix, const bw_subject *s, size_t *access)
{
    const bw_tally_row *worst = NULL;
    const bw_fix_run *run = s->count ? &s->proposals[0].after : &fix->before;
    bool serial = s->answer == BW_ANSWER_NONE || s->answer == BW_ANSWER_BEST;
    uint64_t most = 0;
    for (size_t i = 0; i < run->launches; i++)
        for (size_t k = 0; k < run->tallies[i].count; k++) {
            const bw_tally_row *row = &run->tallies[i].rows[k];
            uint64_t excess =
                serial ? row->counts.excess_serial : bw_counts_excessive(&row->counts);
            if (bw_fix_is_access_of(fix, k, s) && excess > most) {
                most = excess;
                worst = row;
                *access = k;
            }
        }
    return worst;
}

static const char *serial_advice(bw_op op)
{
    if (bw_op_get(op)->copies)
        return "copy each word once: let one lane fetch it for all";
    return "give each warp, or each few lanes, bins of their own and add them up at the end; or "
           "let the lanes with one address combine first (__match_any_sync, __reduce_add_sync)";
}

static const char *layout_advice(const bw_fix *fix)
{
    if (bw_program_is_random(fix->pattern))
        return "the addresses are chance, and a layout only moves it; give each lane a copy in a "
               "bank of its own (index * 32 + lane) where there is room, or privatise by warps";
    return "assign the elements to lanes in another way; 'bankwise fix --lane-map' looks for one";
}

static const char *at_fault(bw_arena *arena, const bw_fix *fix, const bw_subject *s,
                            const char **advice)
{
    const bw_access *accesses;
    size_t access = 0;
    const bw_tally_row *row = row_at_fault(fix, s, &access);
    if (!row)
        return "";
    bw_program_accesses(fix->pattern, &accesses);
    const char *why = bw_reason(arena, fix->options.pattern.arch, &row->worst);
    bool serial = row->counts.excess_serial > 0;
    *advice = serial ? serial_advice(row->worst.op)
              : s->answer == BW_ANSWER_UNDECIDED
                  ? "let each request ask one array; or give the arrays the same change by hand, "
                    "and let 'bankwise check' price it"
                  : layout_advice(fix);
    return bw_arena_format(arena, "; %sline %u (%s): %s", s->count ? "what is left is on " : "",
                           accesses[access].line, bw_access_text(arena, &accesses[access]),
                           why ? why : "its requests leave more words to a bank than it can give");
}

const char *bw_fix_answer(bw_arena *arena, const bw_fix *fix, const bw_subject *s,
                          const char **advice)
{
    uint64_t bound = s->search.bound, tried = s->search.tried;
    *advice = NULL;
    switch (s->answer) {
    case BW_ANSWER_BEST:
        if (bound == s->before.ideal)
            return "proved: every request is conflict-free";
        return bw_arena_format(arena,
                               "proved: no layout costs less than the %" PRIu64
                               " cycles that the first reaches%s",
                               bound, at_fault(arena, fix, s, advice));
    case BW_ANSWER_BEST_FOUND:
        if (s->proposals[0].cycles == bound)
            return bw_arena_format(arena,
                                   "the first costs %" PRIu64
                                   " cycles, and none costs less here; whether the arrays that "
                                   "change with it, or requests that were not searched, could cost "
                                   "less is not certain",
                                   bound);
        return bw_arena_format(arena,
                               "the first is the best of %" PRIu64
                               " layout%s searched: it costs %" PRIu64
                               " cycles; that none costs less than %" PRIu64
                               " is certain, that one reaches it is not%s",
                               tried, tried == 1 ? "" : "s", s->proposals[0].cycles, bound,
                               at_fault(arena, fix, s, advice));
    case BW_ANSWER_NONE:
        return bw_arena_format(arena,
                               "none, proved: no layout can cost less than %" PRIu64
                               " cycles, and it costs that already%s",
                               bound, at_fault(arena, fix, s, advice));
    case BW_ANSWER_NONE_FOUND:
        if (fix->options.search.tma && !tried)
            return "no mode of the copy engine fits: the rows must be 32, 64 or 128 bytes long, "
                   "and "
                   "the array aligned to 256, 512 or 1024";
        if (!tried)
            return fix->options.search.kinds
                       ? "none: no layout of this --kind is known for an array of this shape"
                       : "none: the search knows no other layout for an array of this shape";
        return bw_arena_format(arena,
                               "none of the %" PRIu64
                               " layouts searched costs less than the %" PRIu64
                               " cycles of now; the bound is %" PRIu64 "%s",
                               tried, s->search.cycles, bound, at_fault(arena, fix, s, advice));
    case BW_ANSWER_NOT_WRITABLE:
        return bw_arena_format(arena,
                               "layouts that cost less exist (of %" PRIu64
                               " searched), but none can be written into this file",
                               tried);
    case BW_ANSWER_UNDECIDED:
        return bw_arena_format(arena,
                               "not decided: %" PRIu64 " of its %" PRIu64
                               " requests ask other arrays too, and changes of several arrays "
                               "together are not searched; it costs %" PRIu64
                               " cycles, and that none costs less than %" PRIu64 " is certain%s",
                               s->traffic.mixed, s->traffic.total, s->before.cycles, bound,
                               at_fault(arena, fix, s, advice));
    }
    return "";
}

/* ---- an array ---- */

static void print_proposal(text *to, const bw_subject *s, size_t index)
{
    const bw_proposal *p = &s->proposals[index];
    const bw_fix *fix = to->fix;
    uint64_t gain = fix->before.total.cycles - p->after.total.cycles;
    uint32_t blocks = occupancy(fix, s, &p->after), were = occupancy(fix, s, &fix->before);
    bw_counts after = bw_fix_counts(fix, &p->after, s);
    fprintf(to->out, "\n%zu. ", index + 1);
    bw_print_wrapped(to->out, to->report->width - 3, 3, p->title);
    const char *sm =
        blocks == were ? bw_arena_format(&to->arena, "%" PRIu32 " blocks to an SM as before", were)
                       : bw_arena_format(&to->arena, "%" PRIu32 " -> %" PRIu32 " blocks to an SM",
                                         were, blocks);
    sentence(to, 3,
             bw_arena_format(&to->arena,
                             "%" PRIu64 " cycles saved, %" PRIu64 " of %" PRIu64
                             " excessive left; %+" PRId64 " bytes (%" PRIu32 " a block), %s.",
                             gain, bw_counts_excessive(&after), bw_counts_excessive(&s->before),
                             p->growth, most_shared(fix, s, &p->after), sm));
    sentence(to, 3, bw_arena_format(&to->arena, "Why: %s.", p->reason));
}

static void print_accesses(text *to, const bw_subject *s, const bw_node *document)
{
    bw_field fields[4 + BW_LAYOUT_KINDS] = {BW_FIELD("line", "line", BW_ROLE_COUNT),
                                            BW_FIELD("op", "op", BW_ROLE_TEXT),
                                            BW_FIELD("excess", "excessive", BW_ROLE_COUNT)};
    size_t count = 3;
    for (size_t i = 0; i < s->count && i < BW_LAYOUT_KINDS; i++)
        fields[count++] =
            (bw_field)BW_FIELD(bw_arena_format(&to->arena, "%zu.", i + 1),
                               bw_arena_format(&to->arena, ".%zu", i + 1), BW_ROLE_COUNT);
    fields[count++] = (bw_field)BW_FIELD("source", ".source", BW_ROLE_TEXT, .flexible = true);
    bw_grid *grid = bw_grid_create(fields, count);
    const bw_node *row = bw_node_at(document, "accesses")->first;
    for (; row; row = row->next)
        bw_grid_row(grid, row, BW_ROW_PLAIN);
    bw_grid_print(grid, to->out, to->report->width, to->report->colour);
}

static void print_obstacles(text *to, const bw_subject *s)
{
    for (size_t i = 0; i < s->obstacle_count; i++) {
        const bw_obstacle *o = &s->obstacles[i];
        bw_place place = bw_source_place(to->fix->source, o->where.offset);
        sentence(to, 0,
                 bw_arena_format(&to->arena, "Not offered (%s): line %u: %s.",
                                 bw_layout_kind_name(o->kind), place.line, o->why));
    }
}

static void print_subject(text *to, const bw_subject *s, const bw_node *document)
{
    const char *advice;
    bw_place place = bw_source_place(to->fix->source, s->span.offset);
    const char *answer = bw_fix_answer(&to->arena, to->fix, s, &advice);
    fprintf(to->out,
            "%s, line %u: %" PRIu64 " cycles, %" PRIu64 " of %" PRIu64 " wavefronts excessive\n",
            s->shape, place.line, s->before.cycles, bw_counts_excessive(&s->before),
            s->before.wavefronts);
    print_accesses(to, s, document);
    for (size_t i = 0; i < s->count; i++)
        print_proposal(to, s, i);
    fputc('\n', to->out);
    sentence(to, 0, bw_arena_format(&to->arena, "Answer: %s.", answer));
    if (advice)
        sentence(to, 0, bw_arena_format(&to->arena, "What would help: %s.", advice));
    if (s->partial)
        sentence(to, 0,
                 bw_arena_format(&to->arena,
                                 "%" PRIu64 " of %" PRIu64
                                 " requests were not searched (too many, or of several arrays); "
                                 "every proposal was predicted whole.",
                                 s->traffic.missed + s->traffic.mixed, s->traffic.total));
    if (!to->report->args->values[BW_OPTION_QUIET].given)
        print_obstacles(to, s);
}

/* Excess without an array: nothing declared could be moved, which is not that there is none. */
static void print_nothing(text *to)
{
    const bw_fix *fix = to->fix;
    const char *array = fix->options.array;
    uint64_t excess = bw_counts_excessive(&fix->before.total);
    if (excess && !array)
        sentence(to, 0,
                 bw_arena_format(&to->arena,
                                 "%s: %" PRIu64 " of %" PRIu64
                                 " wavefronts are excessive, of requests that begin in no array of "
                                 "the file: there is no layout to change",
                                 fix->source->name, excess, fix->before.total.wavefronts));
    else
        fprintf(to->out, "%s: no excess%s%s: there is nothing to fix\n", fix->source->name,
                array ? " in " : "", array ? array : "");
}

void bw_fix_text(const bw_fix_report *report, const bw_node *document)
{
    text to = {.report = report, .fix = report->fix, .out = report->out};
    const bw_node *array = bw_node_at(document, "arrays")->first;
    size_t shown = 0;
    for (size_t i = 0; i < report->fix->count; i++) {
        if (!report->fix->subjects[i].solved)
            continue;
        if (shown++)
            fputc('\n', report->out);
        print_subject(&to, &report->fix->subjects[i], array);
        array = array->next;
    }
    if (!shown)
        print_nothing(&to);
    if (shown && bw_program_is_random(report->fix->pattern))
        fprintf(report->out, "\nA random pattern: all counts are sums over %u trials.\n",
                report->fix->options.trials);
    if (report->fix->interrupted)
        fputs("The search was interrupted: the best so far.\n", report->out);
    if (*report->diff)
        fprintf(report->out, "\n%s", report->diff);
    bw_arena_finish(&to.arena);
}
