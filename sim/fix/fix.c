/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "fix_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "written.h"

/* ---- from a layout to a proposal ---- */

static void finish_proposal(bw_proposal *p)
{
    bw_fix_run_finish(&p->after);
    bw_program_destroy(p->pattern);
    free(p->places);
    free(p->expected);
    *p = (bw_proposal){.pattern = NULL};
}

/* An access of the array that is not written as the array with all its indices. */
static bw_span odd_access(const bw_fix *fix, const bw_subject *s)
{
    const bw_access *accesses;
    const bw_array *a = s->traffic.arrays[0];
    size_t count = bw_program_accesses(fix->pattern, &accesses);
    for (size_t k = 0; k < count; k++) {
        bw_span at = accesses[k].span;
        bool plain = !bw_fix_is_access_of(fix, k, s);
        for (unsigned i = 0; i < a->use_count; i++)
            plain |= a->uses[i].name.offset >= at.offset &&
                     a->uses[i].name.offset < at.offset + at.len &&
                     a->uses[i].chosen + a->uses[i].count == a->dims;
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

static const bw_subject *subject_of(const bw_fix *fix, const bw_array *array)
{
    for (size_t i = 0; i < fix->count; i++)
        for (uint32_t k = 0; k < fix->subjects[i].traffic.array_count; k++)
            if (fix->subjects[i].traffic.arrays[k] == array)
                return &fix->subjects[i];
    return NULL;
}

/* All arrays that change with the subject, its own first, and the launches that have them. */
static bw_rewrite_target target_of(bw_fix *fix, const bw_subject *s)
{
    const bw_launch *launches;
    size_t launch_count = bw_program_launches(fix->pattern, &launches), room = 1, next = 0;
    for (size_t i = 0; i < fix->count; i++)
        room += fix->subjects[i].traffic.array_count;
    bw_span *spans = bw_arena_alloc(&fix->arena, room * sizeof *spans);
    const bw_array **all = bw_arena_alloc(&fix->arena, room * sizeof *all);
    for (int own = 1; own >= 0; own--)
        for (size_t i = 0; i < launch_count; i++) {
            const bw_array *arrays;
            size_t n = bw_pattern_arrays(fix->pattern, i, &arrays);
            for (size_t k = 0; k < n; k++) {
                const bw_subject *of = subject_of(fix, &arrays[k]);
                if (!of || (of == s) != own || !bw_fix_is_with(s, of))
                    continue;
                all[next] = &arrays[k];
                spans[next++] = launches[i].span;
            }
        }
    return (bw_rewrite_target){fix->source, all, spans, next};
}

/* The edits of all declarations: each array in turn is the first of the target. */
static bool rewrite_all(bw_edits *edits, const bw_rewrite_target *target, const bw_layout *layout)
{
    const bw_array **arrays = bw_arena_alloc(edits->arena, (target->count + 1) * sizeof *arrays);
    bw_span *spans = bw_arena_alloc(edits->arena, (target->count + 1) * sizeof *spans);
    bw_edits all = {.arena = edits->arena};
    bool good = true;
    for (size_t first = 0; good && first < target->count; first++) {
        bool again = false;
        for (size_t i = 0; i < first; i++)
            again |= target->arrays[i]->span.offset == target->arrays[first]->span.offset;
        if (again)
            continue;
        for (size_t i = 0; i < target->count; i++) {
            arrays[i] = target->arrays[(first + i) % target->count];
            spans[i] = target->launches[(first + i) % target->count];
        }
        bw_rewrite_target turned = {target->source, arrays, spans, target->count};
        good = bw_rewrite(edits, &turned, layout);
        for (size_t i = 0; good && i < edits->count; i++)
            bw_edit_add(&all, edits->items[i].span, edits->items[i].text);
        bw_edits_finish(edits);
    }
    edits->items = all.items;
    edits->count = all.count;
    edits->capacity = all.capacity;
    return good;
}

static bool change_text(bw_fix *fix, bw_subject *s, bw_proposal *p)
{
    bw_rewrite_target target = target_of(fix, s);
    bw_edits edits = {.arena = &fix->arena};
    bool of_type = p->layout.kind == BW_LAYOUT_STRUCT || p->layout.kind == BW_LAYOUT_MEMBERS ||
                   p->layout.kind == BW_LAYOUT_SOA;
    bool good = (!s->group || !of_type) && rewrite_all(&edits, &target, &p->layout);
    p->text = good ? bw_edits_apply(&edits, fix->source, &p->len) : NULL;
    if (!p->text)
        add_obstacle(s, p->layout.kind,
                     edits.why ? edits.why
                     : good    ? "two changes meet at one place in the source"
                               : "a pointer serves this array and another in turn",
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
    *source = (bw_source){fix->source->name, p->text, p->len, NULL};
    p->pattern = bw_pattern_parse(source, &fix->options.pattern, &diags);
    p->source = *source;
    bool good =
        diags.errors == 0 && bw_program_launches(p->pattern, &launches) == fix->before.launches;
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
    size_t count = bw_program_launches(p->pattern, &launches);
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

/* Whether the source has pointers to the struct: to what lies in global memory, mostly. */
static bool has_pointers_to(const bw_source *source, const char *name)
{
    bw_written w;
    bool found = false;
    uint32_t end = (uint32_t)source->len;
    bw_written_make(&w, source);
    for (const bw_token *t = NULL;
         !found && (t = bw_written_name(&w, t ? bw_token_end(t) : 0, end, name));)
        found = t[1].kind == BW_TOK_STAR || (t[1].kind == BW_TOK_CONST && t[2].kind == BW_TOK_STAR);
    bw_written_finish(&w);
    return found;
}

/* "b, which one pointer serves as well" */
static const char *names_with(bw_fix *fix, const bw_subject *s)
{
    const char *names = NULL;
    for (size_t i = 0; i < fix->count; i++) {
        const bw_subject *other = &fix->subjects[i];
        if (other == s || !bw_fix_is_with(s, other))
            continue;
        names = names ? bw_arena_format(&fix->arena, "%s, %s", names, other->name) : other->name;
    }
    return bw_arena_format(&fix->arena, "%s: one pointer serves them", names ? names : s->name);
}

static bool draft(bw_fix *fix, bw_subject *s, const bw_found *found, bw_proposal *p)
{
    *p = (bw_proposal){.layout = found->layout, .growth = found->growth, .burden = found->burden};
    const bw_array *array = s->traffic.arrays[0];
    bw_layout shown = p->layout;
    p->title = bw_layout_title(&fix->arena, &shown, array);
    p->reason = bw_layout_reason(&fix->arena, &shown, array);
    if (s->group)
        p->title =
            bw_arena_format(&fix->arena, "%s, and the same of %s", p->title, names_with(fix, s));
    bool of_struct = shown.kind == BW_LAYOUT_STRUCT || shown.kind == BW_LAYOUT_MEMBERS;
    if (of_struct && has_pointers_to(fix->source, array->struct_name))
        p->reason = bw_arena_format(&fix->arena,
                                    "%s (the file has pointers to %s: whoever fills global memory "
                                    "must use the same definition)",
                                    p->reason, array->struct_name);
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

static bool line_value(const bw_program *pattern, const bw_tally *tally, const bw_expect *e,
                       uint64_t *value)
{
    const bw_access *accesses;
    size_t count = bw_program_accesses(pattern, &accesses);
    bool touched = false;
    *value = 0;
    for (size_t i = 0; i < count && i < tally->count; i++) {
        const bw_tally_row *row = &tally->rows[i];
        if (!bw_program_expects_of(pattern, e, &accesses[i]) || !row->counts.requests)
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
static bool common_value(const bw_program *pattern, const bw_fix_run *run, const bw_expect *e,
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
    size_t count = bw_program_expects(fix->pattern, &old);
    bw_edits edits = {.arena = &fix->arena};
    if (bw_program_is_random(fix->pattern) || count != bw_program_expects(p->pattern, &now))
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

static bool changes_with(const bw_subject *s, const bw_subject *other, const bw_layout *layout)
{
    return other->traffic.array_count &&
           (bw_fix_is_with(s, other) ||
            bw_fix_is_shared(layout, s->traffic.arrays[0], other->traffic.arrays[0]));
}

/* Whether other arrays change with this one. */
static bool has_sharers(const bw_fix *fix, const bw_subject *s, const bw_layout *layout)
{
    for (size_t i = 0; i < fix->count; i++) {
        const bw_subject *other = &fix->subjects[i];
        if (other != s && changes_with(s, other, layout))
            return true;
    }
    return false;
}

/* Whether no layout could better the other arrays that change with this one. */
static bool others_are_best(const bw_fix *fix, const bw_subject *s, const bw_proposal *p)
{
    for (size_t i = 0; i < fix->count; i++) {
        const bw_subject *other = &fix->subjects[i];
        if (other != s && changes_with(s, other, &p->layout) &&
            bw_fix_counts(fix, &p->after, other).excess_layout)
            return false;
    }
    return true;
}

/* What the array's requests cost then. All that is saved is saved on them, unless other arrays
 * change as well, or some of them were not searched. */
static uint64_t own_cycles(const bw_fix *fix, const bw_subject *s, const bw_proposal *p)
{
    uint64_t saved = fix->before.total.cycles - p->after.total.cycles;
    if (s->traffic.mixed)
        return bw_fix_counts(fix, &p->after, s).cycles;
    if (has_sharers(fix, s, &p->layout)) {
        bw_counts after = bw_fix_counts(fix, &p->after, s);
        saved = after.cycles < s->before.cycles ? s->before.cycles - after.cycles : 0;
    }
    return s->search.cycles - saved;
}

static void refuse_unproved(bw_fix *fix, bw_subject *s, const bw_proposal *p)
{
    bw_span at = odd_access(fix, s);
    add_obstacle(s, p->layout.kind,
                 at.offset == s->span.offset
                     ? "the changed file does not ask for the same elements, moved"
                     : "this access has a pointer or a stride of its own, and would miss the "
                       "elements that move",
                 at);
}

/* Proposals that are proved stay; the others become obstacles. */
static void prove_all(bw_fix *fix, bw_recorder *rec, bw_subject *s, uint32_t index)
{
    bool good = bw_fix_expect(rec, index, s->proposals, s->count);
    size_t kept = 0, drafted = s->count;
    for (size_t i = 0; i < drafted; i++) {
        bw_proposal *p = &s->proposals[i];
        bool same = good && bw_fix_verify(fix, p);
        if (!same || p->after.total.cycles >= fix->before.total.cycles) {
            if (same)
                add_obstacle(s, p->layout.kind,
                             "the other arrays that change with it would lose what it gains",
                             s->span);
            else
                refuse_unproved(fix, s, p);
            finish_proposal(p);
            continue;
        }
        p->growth = block_growth(fix, p);
        p->cycles = own_cycles(fix, s, p);
        p->reaches_bound =
            !s->traffic.missed && p->cycles == s->search.bound && others_are_best(fix, s, p);
        update_expectations(fix, p);
        bw_proposal whole = *p;
        s->proposals[kept++] = whole;
    }
    s->count = kept;
    if (kept)
        qsort(s->proposals, kept, sizeof *s->proposals, by_merit);
}

static void add_period(const bw_array *a, bw_search_options *options, int64_t value, uint64_t unit)
{
    unsigned i = 0;
    if (value < 1 || value >= a->dim[0] || (uint64_t)value * unit % a->elem)
        return;
    uint64_t period = (uint64_t)value * unit / a->elem;
    while (i < BW_MAX_PERIODS && options->periods[i] && options->periods[i] != period)
        i++;
    if (i < BW_MAX_PERIODS && period >= 2 && period < a->dim[0])
        options->periods[i] = (uint32_t)period;
}

/* The lengths of rows that the source computes with; where pointers make the steps, no others can
 * be written. */
static void find_periods(const bw_subject *s, bw_search_options *options)
{
    const bw_array *a = s->traffic.arrays[0];
    if (a->dims != 1)
        return;
    for (unsigned i = 0; i < a->use_count; i++) {
        const bw_subscript *index = &a->uses[i].subscripts[0];
        options->only_periods |= !a->uses[i].count && !a->uses[i].handed;
        for (unsigned k = 0; k < index->factor_count; k++)
            add_period(a, options, index->factors[k].value, a->elem);
    }
    for (unsigned i = 0; i < a->stride_count; i++)
        if (!a->strides[i].is_constant)
            add_period(a, options, a->strides[i].factor.value, a->strides[i].unit);
}

static bw_answer answer_of(const bw_subject *s)
{
    bool at_bound = s->before.excess_layout == 0; /* of all requests, searched or not */
    if (s->count)
        return s->proposals[0].reaches_bound ? BW_ANSWER_BEST : BW_ANSWER_BEST_FOUND;
    if (at_bound)
        return BW_ANSWER_NONE;
    if (s->traffic.mixed)
        return BW_ANSWER_UNDECIDED;
    return s->obstacle_count ? BW_ANSWER_NOT_WRITABLE : BW_ANSWER_NONE_FOUND;
}

/* Rows that cannot grow by a single element: padding was not searched. */
static void note_room(bw_fix *fix, bw_subject *s, int64_t room)
{
    const bw_array *a = s->traffic.arrays[0];
    unsigned pads = 1u << BW_LAYOUT_PAD;
    bool wanted = !fix->options.search.kinds || fix->options.search.kinds & pads;
    int64_t least = a->dims >= 2 ? (int64_t)(a->bytes / a->dim[a->dims - 1]) : 0;
    if (least <= room || !wanted || fix->options.search.tma)
        return;
    uint32_t limit = fix->options.pattern.arch->shared_static;
    bool is_static = !fix->options.max_shared || fix->options.max_shared > limit;
    add_obstacle(s, BW_LAYOUT_PAD,
                 bw_arena_format(&fix->arena,
                                 "one element more in each row is %lld bytes, and the block has "
                                 "room for %lld%s",
                                 (long long)least, (long long)room,
                                 is_static && !a->is_extern
                                     ? bw_arena_format(&fix->arena,
                                                       " (static arrays may have %" PRIu32
                                                       " bytes; 'extern __shared__' ones more)",
                                                       limit)
                                     : ""),
                 s->span);
}

/* Requests of several arrays stay in the sums, at what they cost now and at best. */
static void count_mixed(bw_subject *s)
{
    s->search.cycles += s->traffic.mixed_cycles;
    s->search.bound += s->traffic.mixed_bound;
    for (int kind = 0; kind < BW_LAYOUT_KINDS; kind++)
        s->search.best[kind].cycles += s->traffic.mixed_cycles;
}

static void solve(bw_fix *fix, bw_recorder *rec, bw_subject *s, uint32_t index)
{
    bw_search_options options = fix->options.search;
    find_periods(s, &options);
    bw_rewrite_padding(fix->source, s->traffic.arrays[0], options.padding);
    options.limited = true;
    options.max_growth = allowed_growth(fix, s);
    s->traffic.random = bw_program_is_random(fix->pattern);
    bw_traffic_seal(&s->traffic);
    s->partial = s->traffic.missed || s->traffic.mixed;
    bw_search_layouts(&s->search, &s->traffic, &options);
    count_mixed(s);
    fix->interrupted |= s->search.interrupted;
    if (s->traffic.random)
        bw_fix_drop_chance(fix, rec, s, index);
    s->proposals = bw_calloc(BW_LAYOUT_KINDS, sizeof *s->proposals);
    draft_all(fix, s);
    if (s->count)
        prove_all(fix, rec, s, index);
    s->answer = answer_of(s);
    s->solved = true;
    note_room(fix, s, options.max_growth);
}

bool bw_fix_is_access_at(const bw_fix *fix, size_t access, size_t subject)
{
    bool is = access < fix->access_count && fix->subject_of[access] == subject;
    for (size_t i = 0; i < fix->also_count && !is; i++)
        is = fix->also[i].access == access && fix->also[i].subject == subject;
    return is;
}

bool bw_fix_is_access_of(const bw_fix *fix, size_t access, const bw_subject *s)
{
    return bw_fix_is_access_at(fix, access, (size_t)(s - fix->subjects));
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
        fix->options.pattern.arch = bw_arch_find(BW_DEFAULT_ARCH);
    if (!fix->options.trials)
        fix->options.trials = 1;
    size_t errors = diags->errors;
    fix->pattern = bw_pattern_parse(source, &fix->options.pattern, diags);
    if (diags->errors != errors)
        return false;
    bw_recorder rec = {.fix = fix};
    bw_fix_run_begin(&fix->before, fix->pattern, fix->options.pattern.arch);
    bw_recorder_begin(&rec);
    bool good = bw_fix_record(&rec, diags);
    fix->subjects = rec.subjects; /* none is added from here on */
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
    free(fix->also);
    bw_fix_run_finish(&fix->before);
    bw_program_destroy(fix->pattern);
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
